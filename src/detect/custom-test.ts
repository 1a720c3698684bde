/** Finds the crawlers of custom entries: one expression is tried before a catalogue's automata. */
import { createTest } from "../pattern/split-expression.ts";
import type { Decider } from "./decider.ts";
import { toText } from "./text.ts";

/** How many characters are created per call, because each is an argument. */
const chunkBytes = 8192;

/** A decider that tries custom entries first; `expression` is `own` of a compiled catalogue. */
export function withCustom(decider: Decider, expression: string | undefined): Decider {
  if (expression === undefined) return decider;
  const isOwn = createTest(expression);
  return {
    isCrawler: (useragent) => isOwn(toText(useragent)) || decider.isCrawler(useragent),
    isCrawlerBytes: (bytes, from, to) => isOwn(toAsciiText(bytes, from, to)) || decider.isCrawlerBytes(bytes, from, to),
  };
}

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
