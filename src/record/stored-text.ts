/**
 * User agent strings as text that every store can hold: the first 2 KiB, with U+FFFD in place of what UTF-8 databases refuse (NUL, lone
 * surrogates). Pure.
 */

/** Longest recorded string, in bytes of its UTF-8. */
export const maxStoredBytes = 2048;

/** No code unit takes more than three bytes, so a string this short is never cut. */
const surelyWhole = Math.floor(maxStoredBytes / 3);
const encoder = new TextEncoder();
const buffer = new Uint8Array(maxStoredBytes);

/** The stored form: well-formed UTF-16 without NUL, of the same length. */
export function toStored(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** The stored form of a user agent: all of it, or what fits in 2 KiB without splitting a surrogate pair. */
export function toRecorded(useragent: string): string {
  const stored = toStored(useragent);
  return stored.length <= surelyWhole ? stored : stored.slice(0, encoder.encodeInto(stored, buffer).read);
}

/** What a search compares: the stored form of `text` in lowercase, as List searches the catalogue. */
export function toFolded(text: string): string {
  return toStored(text.toLowerCase());
}

/** The folded form if a database's `lower`, which handles only ASCII letters, is not sufficient; else null. */
export function toFoldedColumn(text: string): string | null {
  return /^[\0-\x7f]*$/.test(text) ? null : toFolded(text);
}

/**
 * A copy of `text` that keeps nothing else alive. Engines represent a slice as a reference into its parent, so holding
 * the first 2 KiB of a 64 KiB body would hold the body. `join` writes out new characters in V8 and in JavaScriptCore,
 * and the slice then refers to these; with concatenation, JavaScriptCore would slice the old ones. Takes about 0.4 µs.
 */
export function copyString(text: string): string {
  return [" ", text].join("").slice(1);
}
