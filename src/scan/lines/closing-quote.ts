/** Finds where the last quoted field of a format ends, although clients can put quotation marks into it. */

const quote = 0x22;
const backslash = 0x5c;
const equals = 0x3d;

/** How many quotation marks are tried, so that a line takes linear time. */
const maxTries = 16;

/**
 * Where the quotation mark stands that ends the field at `from`: the first after which there are only whole fields up to `to`. If
 * there is none, it is the last one if it ends the line, else the first one; without any, the line's end.
 */
export function findClosingQuote(bytes: ArrayLike<number>, from: number, to: number): number {
  const first = nextQuote(bytes, from, to);
  if (first === to) return to;
  for (let at = first, tries = 0; at < to && tries < maxTries; at = nextQuote(bytes, at + 1, to), tries++) {
    if (hasWholeFields(bytes, at + 1, to)) return at;
  }
  return bytes[to - 1] === quote ? to - 1 : first;
}

/** Cuts a text at the closing quotation mark of its field; other fields may follow it, up to the line's last quotation mark. */
export function cutAtClosingQuote(text: string): string {
  const line = new TextEncoder().encode(`${text}"`);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(line.subarray(0, findClosingQuote(line, 0, line.length)));
}

/** The next quotation mark without a backslash; `to` if there is none. */
function nextQuote(bytes: ArrayLike<number>, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return Math.min(at, to);
}

/** Whether there are only fields, each after a space or a tab: `"…"`, words, and `name="…"`. */
function hasWholeFields(bytes: ArrayLike<number>, from: number, to: number): boolean {
  let at = from;
  while (at < to) {
    if (!isSpace(bytes[at]!)) return false;
    at++;
    while (at < to && !isSpace(bytes[at]!)) {
      if (bytes[at] !== quote) at++;
      else {
        if (!isSpace(bytes[at - 1]!) && bytes[at - 1] !== equals) return false;
        at = nextQuote(bytes, at + 1, to) + 1;
        if (at > to) return false;
      }
    }
  }
  return true;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}
