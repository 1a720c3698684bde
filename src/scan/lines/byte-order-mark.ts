/** The byte order mark that Windows and spreadsheets write at the beginning of a UTF-8 file: it is not part of the first line. */

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Removes a mark from the beginning of `bytes[0 … length)`; returns how many bytes are left. */
export function removeByteOrderMark(bytes: Uint8Array, length: number): number {
  if (byteOrderMark.some((byte, index) => index >= length || bytes[index] !== byte)) return length;
  bytes.copyWithin(0, byteOrderMark.length, length);
  return length - byteOrderMark.length;
}
