/**
 * Cuts a body into its items, lines or values of a JSON array, without parsing them: each is parsed alone, so that others get a turn in
 * between. Items are parts of the body's bytes.
 */

const [lineFeed, carriageReturn, tab, space] = [0x0a, 0x0d, 0x09, 0x20];
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openingBracket, openingBrace] = [0x5b, 0x7b];
const [closingBracket, closingBrace] = [0x5d, 0x7d];

/** Finds one item after another: the bytes from `from` to `to`. */
export interface Cutter {
  readonly from: number;
  readonly to: number;
  /** Goes to the next item; false after the last one. */
  next(): boolean;
}

/** The length of the byte order mark, which editors and shells on Windows put at the beginning of a file; 0 without one. */
function markLength(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
}

/** Finds lines, without their ends (`\n` or `\r\n`). */
export class LineCutter implements Cutter {
  from = 0;
  to = 0;
  readonly #body: Uint8Array;
  #next: number;

  constructor(body: Uint8Array) {
    this.#body = body;
    this.#next = markLength(body);
  }

  next(): boolean {
    const body = this.#body;
    if (this.#next >= body.length) return false;
    this.from = this.#next;
    const found = body.indexOf(lineFeed, this.from);
    const end = found === -1 ? body.length : found;
    this.to = end > this.from && body[end - 1] === carriageReturn ? end - 1 : end;
    this.#next = end + 1;
    return true;
  }
}

/** Where the items of a JSON array begin; undefined if the body is not an array. */
export function beginOfArray(body: Uint8Array): number | undefined {
  const at = skipSpace(body, markLength(body));
  return body[at] === openingBracket ? at + 1 : undefined;
}

/**
 * Finds the items of a JSON array, from its beginning on; the array is JSON if each of them is. Throws a SyntaxError in place of the last item
 * if the array does not end, or is followed by anything.
 */
export class ArrayCutter implements Cutter {
  from: number;
  to: number;
  readonly #body: Uint8Array;
  #isOver = false;

  constructor(body: Uint8Array, begin: number) {
    this.#body = body;
    this.from = begin;
    this.to = begin - 1;
  }

  next(): boolean {
    const body = this.#body;
    if (this.#isOver) return false;
    const isFirst = body[this.to] === openingBracket;
    this.from = this.to + 1;
    let depth = 1;
    let isInString = false;
    for (let at = this.from; at < body.length; at++) {
      const byte = body[at];
      if (byte === backslash) at++;
      else if (byte === quote) isInString = !isInString;
      if (isInString) continue;
      if (byte === openingBracket || byte === openingBrace) depth++;
      else if (byte === closingBracket || byte === closingBrace) depth--;
      if (depth > 1 || !(depth === 0 || byte === comma)) continue;
      this.to = at;
      if (depth === 1) return true;
      if (byte !== closingBracket || skipSpace(body, at + 1) < body.length) break;
      this.#isOver = true;
      // An array without items has only space between its brackets.
      return !(isFirst && skipSpace(body, this.from) === at);
    }
    throw new SyntaxError("the array does not end, or is followed by something");
  }
}

function skipSpace(body: Uint8Array, from: number): number {
  let at = from;
  for (let byte = body[at]; byte === space || byte === lineFeed || byte === carriageReturn || byte === tab; )
    byte = body[++at];
  return at;
}

/** JSON.parse gives others no turn: it takes 12 ms for 64 KiB of brackets, and 7 ms for so many values and names of members. */
export const maxValues = 20_000;
const maxDepth = 64;

/** Why an item must not be parsed, in words. For items that are not JSON, the counts are meaningless. */
export function excessOf(item: Uint8Array): string | undefined {
  let isInString = false;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < item.length; at++) {
    const byte = item[at];
    if (byte === backslash) at++;
    else if (byte === quote) isInString = !isInString;
    if (isInString) continue;
    if (byte === comma || byte === colon) values++;
    else if (byte === closingBracket || byte === closingBrace) depth--;
    else if (byte === openingBracket || byte === openingBrace) {
      values++;
      depth++;
    }
    if (values > maxValues) return `may have at most ${maxValues.toLocaleString("en")} values and member names`;
    if (depth > maxDepth) return `may be nested at most ${maxDepth} levels deep`;
  }
  return undefined;
}
