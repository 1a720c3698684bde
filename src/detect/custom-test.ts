/** Finds the crawlers of custom entries: one expression is tried before a catalogue's automata. */
import { createTest } from "../pattern/split-expression.ts";
import type { Decider } from "./decider.ts";
import { toAsciiText, toText } from "./text.ts";

/** A decider that tries custom entries first; `expression` is `own` of a compiled catalogue. */
export function withCustom(decider: Decider, expression: string | undefined): Decider {
  if (expression === undefined) return decider;
  const isOwn = createTest(expression);
  return {
    isCrawler: (useragent) => isOwn(toText(useragent)) || decider.isCrawler(useragent),
    isCrawlerBytes: (bytes, from, to) => isOwn(toAsciiText(bytes, from, to)) || decider.isCrawlerBytes(bytes, from, to),
  };
}
