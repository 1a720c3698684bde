/** Reads files up to a size limit, including those without a size, such as pipes and devices. */
import { createReadStream } from "node:fs";

/** The bytes of a file; undefined if it has more than `most`. Reads at most one byte more than that. */
export async function readUpTo(path: string, most: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  // `end` is the position of the last byte.
  for await (const piece of createReadStream(path, { end: most })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  return bytes.length > most ? undefined : bytes;
}
