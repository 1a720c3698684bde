/**
 * User agent strings as text that every store can hold: the first 2 KiB, and a reversible escape for what UTF-8 databases
 * refuse (NUL, lone surrogates). Pure.
 */

/** Longest recorded string, in bytes of its stored UTF-8 form. */
export const maxStoredBytes = 2048;

/** No code unit takes more than four bytes in the stored form, so a string this short is never truncated. */
const surelyWhole = maxStoredBytes / 4;

/**
 * The escape lives in U+10F000–U+10FFFF, the end of a private use plane. A lone surrogate D800+n is U+10F000+n and NUL
 * is U+10F800; a character of that range itself becomes two of it, from ranges used for nothing else. So no escaped
 * character can be mistaken for another, and searching for a part works on stored forms as on the strings themselves.
 */
const reserved = 0x10f000;
const nul = 0x10f800;
const upper = 0x10f900;
const lower = 0x10fa00;

const toEscape = /\0|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;
const toUnescape = /[\udbfc-\udbff][\udc00-\udfff](?:\udbfe[\ude00-\ude3f])?/g;

/** Number of leading code units to record: all of them, or what fits in 2 KiB without splitting a surrogate pair. */
export function recordedLength(useragent: string): number {
  if (useragent.length <= surelyWhole) return useragent.length;
  let bytes = 0;
  for (let at = 0; at < useragent.length; ) {
    const unit = useragent.charCodeAt(at);
    let units = 1;
    let size = unit === 0 ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (unit >= 0xd800 && unit <= 0xdfff) {
      const next = useragent.charCodeAt(at + 1);
      const pair = unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
      units = pair ? 2 : 1;
      size = pair && unit >= 0xdbfc ? 8 : 4;
    }
    bytes += size;
    if (bytes > maxStoredBytes) return at;
    at += units;
  }
  return useragent.length;
}

/** The stored form: well-formed UTF-16 without NUL. */
export function toStored(text: string): string {
  return text.replace(toEscape, (found) => {
    const code = found.codePointAt(0)!;
    if (code === 0) return String.fromCodePoint(nul);
    if (found.length === 1) return String.fromCodePoint(reserved + code - 0xd800);
    if (code < reserved) return found;
    const offset = code - reserved;
    return String.fromCodePoint(upper + (offset >> 6), lower + (offset & 63));
  });
}

/** The string whose stored form is `stored`. */
export function fromStored(stored: string): string {
  return stored.replace(toUnescape, (found) => {
    const code = found.codePointAt(0)!;
    if (found.length === 4)
      return String.fromCodePoint(reserved + ((code - upper) << 6) + (found.codePointAt(2)! - lower));
    return code === nul ? "\0" : String.fromCharCode(0xd800 + (code - reserved));
  });
}

/** What a search compares: the stored form of `text` in small letters, as List searches the catalogue. */
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
