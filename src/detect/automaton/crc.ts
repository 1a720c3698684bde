/** The checksum of the tables: CRC-32 as in zip files and PNG images (ISO 3309), which every language provides. */

let table: Int32Array | undefined;

/** Returns the checksum of `bytes`, an unsigned number of 32 bits. */
export function crc32(bytes: Uint8Array): number {
  table ??= createTable();
  const sums = table;
  let sum = -1;
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ sums[(sum ^ bytes[i]!) & 0xff]!;
  return ~sum >>> 0;
}

function createTable(): Int32Array {
  const sums = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
    sums[byte] = rest;
  }
  return sums;
}
