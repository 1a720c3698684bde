/** Decodes the escapes of a log format. */
import { cutAtClosingQuote } from "./closing-quote.ts";
import type { Escapes } from "./format.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of `bytes[from … to)`; bytes that are not UTF-8 become U+FFFD. A lone `-` means that there was no value. */
export function decodeField(bytes: Uint8Array, from: number, to: number, escapes: Escapes): string {
  const text = decoder.decode(bytes.subarray(from, to));
  return text === "-" && escapes !== "none" ? "" : unescapes[escapes](text);
}

/** Some programs log URL-encoded user agents: texts without spaces in which `%20` stands for them. */
export function decodeBlanks(text: string): string {
  return text.includes("%20") && !text.includes(" ") ? unescapes.percent(text) : text;
}

const unescapes: Readonly<Record<Escapes, (text: string) => string>> = {
  none: (text) => text,
  // nginx: \x22; Apache: \x22, \" and \\. Bytes, so that the bytes of one character come together again.
  backslash: (text) => fromBackslashes(text.includes('"') ? cutAtClosingQuote(text) : text),
  // IIS writes a space as a plus sign, and a plus sign as itself: the second of two is one.
  // A text with blanks was in quotation marks, as IIS Advanced Logging writes it.
  plus: (text) => (text.includes(" ") ? text.replaceAll('""', '"') : text.replace(/\+(\+?)/g, " $1")),
  percent: (text) => (text.includes("%") ? fromEscapedBytes(text, /%([0-9A-Fa-f]{2})/g) : text),
  // HAProxy, in captured headers.
  hash: (text) => (text.includes("#") ? fromEscapedBytes(text, /#([0-9A-F]{2})/g) : text),
  quotes: (text) => text.replaceAll('""', '"'),
};

function fromBackslashes(text: string): string {
  return text.includes("\\") ? fromEscapedBytes(text, /\\(?:x([0-9A-Fa-f]{2})|([^x]))/g, true) : text;
}

function fromEscapedBytes(text: string, escaped: RegExp, letters = false): string {
  // An escape is longer than the bytes it stands for, and a character of a string is at most three bytes.
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  const add = (some: string): void => {
    length += encoder.encodeInto(some, bytes.subarray(length)).written;
  };
  let end = 0;
  for (const match of text.matchAll(escaped)) {
    add(text.slice(end, match.index));
    if (match[1] !== undefined) bytes[length++] = Number.parseInt(match[1], 16);
    else if (letters) add(controls[match[2] as string] ?? (match[2] as string));
    end = match.index + match[0].length;
  }
  add(text.slice(end));
  return decoder.decode(bytes.subarray(0, length));
}

const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", b: "\b" };
