/**
 * Parses the items of a JSON array one by one, so that others get a turn in between: JSON.parse takes 50 ms and more for a mebibyte of
 * hostile JSON. If each item is JSON, the array is JSON.
 */
import { Problem } from "../../http/problems.ts";
import { missing } from "../check/check-request.ts";

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** How deep an item may be nested: collecting the garbage of thousands of levels stalls Bun for a tenth of a second. */
const maxDepth = 64;

/** Yields the values. Throws a Problem if the body is no JSON array, or before it parses an item that is too long or nested too deep. */
export function* parseItems(body: Uint8Array, maxItemBytes: number): Generator<unknown> {
  const bytes = hasMark(body, 0, body.length) ? body.subarray(3) : body;
  const parse = (from: number, to: number): unknown => {
    if (to - from > maxItemBytes)
      throw new Problem(
        "too-large",
        `An item of an array may have at most ${maxItemBytes.toLocaleString("en")} bytes.`,
      );
    return parseJson(bytes.subarray(from, to));
  };
  const start = skipSpace(bytes, 0);
  if (bytes[start] !== openingBracket) {
    parse(start, bytes.length);
    throw new Problem("no-useragent", `Send an array. ${missing}`);
  }
  let from = skipSpace(bytes, start + 1);
  let end = bytes[from] === closingBracket ? from : -1;
  let depth = 0;
  for (let at = from; end === -1 && at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openingBracket || byte === openingBrace) {
      if (++depth > maxDepth) throw tooLarge(`An item of an array may be nested at most ${maxDepth} deep`);
    } else if (depth > 0) {
      if (byte === closingBracket || byte === closingBrace) depth--;
    } else if (byte === comma || byte === closingBracket) {
      yield parse(from, at);
      from = skipSpace(bytes, at + 1);
      if (byte === closingBracket) end = at;
    }
  }
  if (end === -1 || skipSpace(bytes, end + 1) < bytes.length) throw new Problem("not-json", notJson);
}

/** The position of the closing quote of the string that begins at `from`; the length of the bytes if it has none. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return bytes.length;
}

/** Skips space, tab, line feed and carriage return (RFC 8259 §2). */
function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d; byte = bytes[at]) at++;
  return at;
}

/** Whether bytes begin with a byte order mark, which editors and shells on Windows put at the beginning of a file. */
export function hasMark(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const notJson = "The body cannot be parsed as JSON in UTF-8.";

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Problem("not-json", notJson);
  }
}

/** The problem of an array that exceeds a limit; lines have no such limit. */
export function tooLarge(what: string, headers: Readonly<Record<string, string>> = {}): Problem {
  return new Problem(
    "too-large",
    `${what}. Send its items as lines (application/x-ndjson), which have no such limit.`,
    headers,
  );
}
