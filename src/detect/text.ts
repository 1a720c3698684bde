/** Text as callers and generated modules give it: a user agent as a string, and bytes as printable characters. */
import type { UserAgent } from "./verdict.ts";

/** Returns the empty string for a missing header; throws TypeError for values of other types. */
export function toText(useragent: UserAgent): string {
  if (typeof useragent === "string") return useragent;
  if (useragent === null || useragent === undefined) return "";
  throw new TypeError(`A user agent must be a string, null or undefined; this is of type ${typeof useragent}.`);
}

/** How many characters are created per call, because each is an argument. */
const chunkBytes = 8192;

/**
 * The bytes from `from` to before `to` as text for expressions: no pattern distinguishes characters beyond ASCII, so each byte can be a
 * character. Offsets beyond the bytes mean their ends.
 */
export function toAsciiText(bytes: Uint8Array | null | undefined, from = 0, to = Number.POSITIVE_INFINITY): string {
  if (!bytes) return "";
  const part = bytes.subarray(Math.max(0, from), Math.max(0, Math.min(to, bytes.length)));
  let text = "";
  for (let at = 0; at < part.length; at += chunkBytes)
    text += String.fromCharCode(...part.subarray(at, at + chunkBytes));
  return text;
}

/**
 * Bytes as text in generated modules. Unlike base64, each byte has its own characters, so repeated bytes compress: the result
 * is a fifth smaller. A byte is one of 88 printable characters, after `|` for the next 88 bytes, and after `}` for the rest.
 */
const alphabet = /* @__PURE__ */ createAlphabet();
const marks = ["", "|", "}"];

/** Excludes characters that would end or escape a quoted string, and the two markers. */
function createAlphabet(): string[] {
  const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i));
  return printable.filter((char) => !"\"'\\`$|}".includes(char));
}

/** Writes bytes as text. */
export function toBytesText(bytes: Uint8Array): string {
  const { length } = alphabet;
  return Array.from(bytes, (byte) => `${marks[Math.trunc(byte / length)]}${alphabet[byte % length]}`).join("");
}

/** Reads what toBytesText wrote; invalid text yields other bytes, which the checksum detects. */
export function fromBytesText(text: string): Uint8Array {
  const values = new Uint8Array(128);
  alphabet.forEach((char, i) => {
    values[char.charCodeAt(0)] = i;
  });
  const bytes = new Uint8Array(text.length);
  let length = 0;
  let high = 0;
  // A plain loop for speed, because every start waits for it.
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x7c) high = alphabet.length;
    else if (code === 0x7d) high = 2 * alphabet.length;
    else {
      bytes[length++] = high + values[code & 0x7f]!;
      high = 0;
    }
  }
  return bytes.subarray(0, length);
}
