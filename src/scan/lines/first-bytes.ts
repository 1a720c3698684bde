/** What the first bytes of a log tell: how it is compressed, and a byte order mark. Runs in pages, too. */

/** How logs are compressed; ZIP is recognized only to tell the user what to do. */
export type Compression = "gzip" | "zstd" | "bzip2" | "xz" | "ZIP";

/** How many first bytes compressionOf needs. */
export const magicBytes = 4;

/** The compression of a file, by its first bytes; undefined without compression. */
export function compressionOf(bytes: Uint8Array): Compression | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0x1f && b === 0x8b) return "gzip";
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return "zstd";
  if (a === 0xfd && b === 0x37 && c === 0x7a && d === 0x58) return "xz";
  if (a === 0x50 && b === 0x4b && c === 0x03 && d === 0x04) return "ZIP";
  return a === 0x42 && b === 0x5a && c === 0x68 ? "bzip2" : undefined;
}

/** Windows and spreadsheets write it at the beginning of a UTF-8 file; it is not part of the first line. */
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Removes a mark from the beginning of `bytes[0 … length)`; returns how many bytes are left. */
export function removeByteOrderMark(bytes: Uint8Array, length: number): number {
  if (byteOrderMark.some((byte, index) => index >= length || bytes[index] !== byte)) return length;
  bytes.copyWithin(0, byteOrderMark.length, length);
  return length - byteOrderMark.length;
}
