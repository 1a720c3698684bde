/** Reads files that must not be large, also those that have no size, such as pipes and devices. */
import { createReadStream } from "node:fs";

/** The bytes of a file; undefined if it has more than `most`. No more are read. */
export async function readFewBytes(path: string, most: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  // `end` is the position of the last byte.
  for await (const piece of createReadStream(path, { end: most })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  return bytes.length > most ? undefined : bytes;
}
