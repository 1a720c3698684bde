/** Decompresses logs: gzip and zstd by the runtime, bzip2 by bzip2.ts. */
import type { Readable, Transform } from "node:stream";
import zlib from "node:zlib";
import type { Compression } from "../lines/compression.ts";
import { decompressBzip2 } from "./bzip2.ts";

/** A compressed file that cannot be read; the message says what to do. */
export class DecompressionError extends Error {
  override readonly name = "DecompressionError";
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

/** What decompresses the formats that neither runtime reads. */
const programs = { xz: "xz -dc", ZIP: "unzip -p" } as const;

function createTransform(compression: Exclude<Compression, "bzip2">): Transform {
  if (compression === "gzip") return zlib.createGunzip({ chunkSize });
  if (compression === "xz" || compression === "ZIP") {
    throw new DecompressionError(
      `${compression} is not read. Decompress it: ${programs[compression]} FILE | whocrawls scan -`,
    );
  }
  if (typeof zlib.createZstdDecompress === "function") return zlib.createZstdDecompress({ chunkSize });
  throw new DecompressionError(
    `This is Node ${process.versions.node}, which cannot read zstd; Node 22.15 and later can. Or: zstd -dc FILE | whocrawls scan -`,
  );
}
