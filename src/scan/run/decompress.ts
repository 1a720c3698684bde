/** Decompresses logs: gzip and zstd by the runtime, bzip2 by bzip2.ts. Tells them apart by their first bytes. */
import type { Readable, Transform } from "node:stream";
import zlib from "node:zlib";
import { decompressBzip2 } from "./bzip2.ts";

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
  const output = compression === "bzip2" ? decompressBzip2(source) : transform(source, createTransform(compression));
  try {
    yield* output;
  } catch (error) {
    throw new DecompressionError(`The ${compression} data is damaged or ends too early: ${(error as Error).message}.`);
  } finally {
    source.destroy();
  }
}

function transform(source: Readable, by: Transform): AsyncIterable<Uint8Array> {
  source.on("error", (error) => by.destroy(error));
  return source.pipe(by);
}

const chunkSize = 256 * 1024;

function createTransform(compression: Exclude<Compression, "bzip2">): Transform {
  if (compression === "gzip") return zlib.createGunzip({ chunkSize });
  if (typeof zlib.createZstdDecompress === "function") return zlib.createZstdDecompress({ chunkSize });
  throw new DecompressionError(
    `This is Node ${process.versions.node}, which cannot read zstd; Node 22.15 and later can. Or: zstd -dc FILE | whocrawls scan -`,
  );
}
