/** Finds the crawlers of custom entries: one expression is tried before a catalogue's automata. */
import { maxCharactersForV8, splitExpression } from "../pattern/split-expression.ts";
import type { Decider } from "./decider.ts";
import { toText } from "./text.ts";

/** How many characters are created per call, because each is an argument. */
const chunkBytes = 8192;

/** Makes the function that tells whether a custom entry matches; `expression` is `own` of a compiled catalogue. */
export function createCustomTest(expression: string | undefined): (text: string) => boolean {
  if (expression === undefined) return () => false;
  // linear: consists of the catalogue's patterns
  const parts = splitExpression(expression, maxCharactersForV8).map((part) => new RegExp(part));
  return (text) => parts.some((part) => part.test(text));
}

/** A decider that tries custom entries first. */
export function withCustom(decider: Decider, expression: string | undefined): Decider {
  if (expression === undefined) return decider;
  const isOwn = createCustomTest(expression);
  return {
    isCrawler: (useragent) => isOwn(toText(useragent)) || decider.isCrawler(useragent),
    // No pattern distinguishes non-ASCII characters, so each byte can be treated as a character.
    isCrawlerBytes: (bytes, from, to) =>
      isOwn(toLatin1(bytes?.subarray(from, to) ?? new Uint8Array())) || decider.isCrawlerBytes(bytes, from, to),
  };
}

function toLatin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += chunkBytes)
    text += String.fromCharCode(...bytes.subarray(at, at + chunkBytes));
  return text;
}
