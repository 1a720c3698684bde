/** Parses JSON of CheckMany: a line, or an array of limited size and shape, because JSON.parse gives others no turn until its end. */
import { Problem } from "../../http/problems.ts";
import { missing } from "../check/check-request.ts";

/** Limits of an array. JSON.parse takes 50 ms for 256 KiB of brackets, and 7 ms for so many values and names of members. */
export const maxArrayBytes = 256 * 1024;
export const maxItems = 10_000;
export const maxValues = 20_000;
const maxDepth = 64;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The value of JSON in UTF-8; undefined if the bytes are not that. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strict.decode(bytes));
  } catch {
    return undefined;
  }
}

/** Whether bytes begin with a byte order mark, which editors and shells on Windows put at the beginning of a file. */
export function hasMark(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf;
}

/** The items of an array. Throws a Problem if the body is none, or exceeds a limit of values or depth, before it is parsed. */
export function parseArray(body: Uint8Array): readonly unknown[] {
  limitShape(body);
  const items = parseJson(hasMark(body, 0, body.length) ? body.subarray(3) : body);
  if (items === undefined) throw new Problem("not-json", "The body cannot be parsed as JSON in UTF-8.");
  if (!Array.isArray(items)) throw new Problem("no-useragent", `Send an array. ${missing}`);
  if (items.length > maxItems) throw tooLarge(`An array may have at most ${maxItems.toLocaleString("en")} items`);
  return items;
}

const quote = 0x22;
const backslash = 0x5c;
const [comma, colon] = [0x2c, 0x3a];
const [openingBracket, openingBrace] = [0x5b, 0x7b];
const [closingBracket, closingBrace] = [0x5d, 0x7d];

/** Throws a Problem for too many values, or values nested too deep. For invalid JSON, the counts are meaningless. */
function limitShape(bytes: Uint8Array): void {
  let isInString = false;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === backslash) at++;
    else if (byte === quote) isInString = !isInString;
    if (isInString) continue;
    if (byte === comma || byte === colon) values++;
    else if (byte === closingBracket || byte === closingBrace) depth--;
    else if (byte === openingBracket || byte === openingBrace) {
      values++;
      depth++;
    }
    if (values > maxValues) throw tooLarge(tooManyValues);
    // The array itself is a level, too.
    if (depth > maxDepth + 1) throw tooLarge(`An item of an array may be nested at most ${maxDepth} levels deep`);
  }
}

const tooManyValues = `An array may have at most ${maxValues.toLocaleString("en")} values and member names`;

/** The problem of an array that exceeds a limit; lines have no such limit. */
export function tooLarge(what: string, headers: Readonly<Record<string, string>> = {}): Problem {
  const detail = `${what}. Send smaller arrays, or lines (application/x-ndjson), which have no such limit.`;
  return new Problem("too-large", detail, headers);
}
