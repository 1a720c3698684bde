/** What the first bytes of a log tell: how it is compressed, and a byte order mark. Runs in pages, too. */

/** How logs are compressed; ZIP is recognized only to tell the user what to do. */
export type Compression = "gzip" | "zstd" | "bzip2" | "xz" | "ZIP";

/** How many first bytes compressionOf needs. */
export const magicBytes = 4;

const magics: readonly (readonly [Compression, ...bytes: readonly number[]])[] = [
  ["gzip", 0x1f, 0x8b],
  ["zstd", 0x28, 0xb5, 0x2f, 0xfd],
  ["xz", 0xfd, 0x37, 0x7a, 0x58],
  ["ZIP", 0x50, 0x4b, 0x03, 0x04],
  ["bzip2", 0x42, 0x5a, 0x68],
];

/** The compression of a file, by its first bytes; undefined without compression. */
export function compressionOf(bytes: Uint8Array): Compression | undefined {
  return magics.find(([, ...magic]) => magic.every((byte, at) => bytes[at] === byte))?.[0];
}

/** Whether further bytes decide about the compression. */
export function needsMoreBytes(bytes: Uint8Array): boolean {
  return magics.some(([, ...magic]) => bytes.length < magic.length && bytes.every((byte, at) => magic[at] === byte));
}

/** Windows and spreadsheets write it at the beginning of a UTF-8 file; it is not part of the first line. */
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Removes a mark from the beginning of `bytes[0 … length)`; returns how many bytes are left. */
export function removeByteOrderMark(bytes: Uint8Array, length: number): number {
  if (byteOrderMark.some((byte, index) => index >= length || bytes[index] !== byte)) return length;
  bytes.copyWithin(0, byteOrderMark.length, length);
  return length - byteOrderMark.length;
}
