/** Decompresses logs: gzip, and zstd where the runtime can, by the runtime; the other formats by programs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Transform } from "node:stream";
import zlib from "node:zlib";
import type { Compression } from "../lines/first-bytes.ts";

/** A compressed file that cannot be read; the message says what to do. */
export class DecompressionError extends Error {
  override readonly name = "DecompressionError";
}

/** The programs that decompress standard input to standard output with `-dc`, and their Debian packages. */
const packages = { bzip2: "bzip2", gzip: "gzip", xz: "xz-utils", zstd: "zstd" } as const;

const chunkSize = 256 * 1024;
/** How much of a program's standard error is kept, in characters. */
const keptMessage = 2000;

/** The bytes that were compressed. Errors of reading are thrown as DecompressionError. `reopen` reads a file again. */
export async function* decompress(
  source: Readable,
  compression: Compression,
  reopen?: () => Readable,
): AsyncGenerator<Uint8Array> {
  try {
    if (compression === "ZIP")
      throw new DecompressionError("ZIP files are not supported. Decompress it: unzip -p FILE | whocrawls scan -");
    if (compression === "gzip") yield* decompressHere(source, zlib.createGunzip({ chunkSize }), compression, reopen);
    else if (compression === "zstd" && typeof zlib.createZstdDecompress === "function")
      yield* decompressHere(source, zlib.createZstdDecompress({ chunkSize }), compression, reopen);
    else yield* runProgram(source, compression);
  } catch (error) {
    if (error instanceof DecompressionError) throw error;
    throw new DecompressionError(`The ${compression} data is damaged or ends too early: ${(error as Error).message}.`);
  } finally {
    source.destroy();
  }
}

/**
 * Runtimes discard what they decompressed last before an error, and may stop at a zero or a further frame: the programs do neither, and
 * read a file again. They cannot read a pipe again, and gzip holds back what an open pipe has brought, so only zstd reads pipes.
 */
async function* decompressHere(
  source: Readable,
  by: Transform & { readonly bytesWritten: number },
  program: "gzip" | "zstd",
  reopen: (() => Readable) | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    if (reopen === undefined && program === "zstd") return yield* runProgram(source, program);
  } catch (error) {
    // The program is missing, so nothing has been read.
    if (!(error instanceof DecompressionError)) throw error;
  }
  let read = 0;
  let done = 0;
  let failure: unknown;
  source.on("data", (chunk: Uint8Array) => {
    read += chunk.length;
  });
  source.on("error", (error) => by.destroy(error));
  try {
    for await (const chunk of source.pipe(by) as AsyncIterable<Uint8Array>) {
      done += chunk.length;
      yield chunk;
    }
    if (by.bytesWritten === read) return;
  } catch (error) {
    failure = error;
  }
  try {
    if (reopen === undefined) throw new Error("other bytes follow it");
    yield* skip(runProgram(reopen(), program), done);
  } catch (error) {
    throw failure ?? error;
  }
  if (failure !== undefined) throw failure;
}

/** The chunks after the first bytes. */
async function* skip(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

/** What the program writes; throws after its last byte if it failed. The program ends with the generator. */
async function* runProgram(source: Readable, program: keyof typeof packages): AsyncGenerator<Uint8Array> {
  // In a process group of its own, so Ctrl-C ends the scan, which reports what was found, and not the program.
  const detached = process.platform !== "win32";
  const child = spawn(program, ["-dc"], { detached, stdio: ["pipe", "pipe", "pipe"] });
  let failure: Error | undefined;
  source.once("error", (error) => {
    failure = error;
    child.kill();
  });
  await once(child, "spawn").catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === "ENOENT"
        ? `is missing: install the package ${packages[program]}`
        : `did not start: ${error.message}`;
    throw new DecompressionError(`The program ${program} ${reason}.`);
  });
  const closed = once(child, "close");
  let message = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    message = (message + text).slice(0, keptMessage);
  });
  // A write error after the program has exited is ignored: the program itself reports why it exited.
  child.stdin.on("error", () => {});
  source.pipe(child.stdin);
  try {
    yield* child.stdout;
    const [code, signal] = await closed;
    if (failure !== undefined) throw failure;
    // bzip2 only warns about data that it skipped, and exits with 0. Its first sentence is about the file; the others are guesses and
    // advice.
    const said = message
      .trim()
      .split(/;\n|\n\tInput file = |\.?\n\n/, 1)[0]
      ?.replaceAll(/\s+/g, " ")
      .replace(/\.$/, "");
    if (said || code !== 0) throw new Error(said || `${program} exited with ${signal ?? code}`);
  } finally {
    child.kill();
  }
}
