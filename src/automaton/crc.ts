/** The check sum of the tables: CRC-32 as in zip files and PNG images (ISO 3309), which every language has at hand. */

/** Returns the check sum of `bytes`, an unsigned number of 32 bits. */
export function crc32(bytes: ArrayLike<number>): number {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
    return rest;
  });
  let sum = -1;
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ table[(sum ^ bytes[i]!) & 0xff]!;
  return ~sum >>> 0;
}
