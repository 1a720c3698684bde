/** Decompresses logs: gzip and zstd by the runtime, bzip2 by a library. Tells them apart by their first bytes. */
import { Readable } from "node:stream";
import zlib from "node:zlib";

/** A compressed file that cannot be read; the message says what to do. */
export class DecompressionError extends Error {
  override readonly name = "DecompressionError";
}

export type Compression = "gzip" | "zstd" | "bzip2";

/** How many first bytes compressionOf needs. */
export const magicBytes = 4;

/** What a file is compressed with, by its first bytes; undefined for what is not. */
export function compressionOf(bytes: Uint8Array): Compression | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0x1f && b === 0x8b) return "gzip";
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return "zstd";
  return a === 0x42 && b === 0x5a && c === 0x68 ? "bzip2" : undefined;
}

/** The bytes that were compressed. Errors of reading are thrown as DecompressionError. */
export async function* decompress(source: Readable, compression: Compression): AsyncGenerator<Uint8Array> {
  const transform = await createTransform(compression);
  const piped = source.pipe(transform);
  // That of bzip2 is a stream of the old kind.
  const output = piped instanceof Readable ? piped : new Readable().wrap(piped);
  source.on("error", (error) => output.destroy(error));
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
  } catch (error) {
    throw new DecompressionError(`The ${compression} data is damaged or ends too early: ${(error as Error).message}.`);
  } finally {
    source.destroy();
    output.destroy();
  }
}

const chunkSize = 256 * 1024;

async function createTransform(compression: Compression): Promise<NodeJS.ReadWriteStream> {
  if (compression === "gzip") return zlib.createGunzip({ chunkSize });
  // Loaded where it is needed, for few logs are compressed with it.
  if (compression === "bzip2") return (await import("unbzip2-stream")).default();
  if (typeof zlib.createZstdDecompress === "function") return zlib.createZstdDecompress({ chunkSize });
  throw new DecompressionError(
    `This is Node ${process.versions.node}, which cannot read zstd; Node 22.15 and later can. Or: zstd -dc FILE | whocrawls scan -`,
  );
}
