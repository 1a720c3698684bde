/** The detector: one pass over the string decides, and only for a crawler a second one says which. */
import { createMatcher } from "../automaton/matcher.ts";
import { decodeTable } from "../automaton/tables.ts";
import { createIdentifier, type ItemFacts } from "./identify.ts";
import type { Detector } from "./verdict.ts";

/** The parts of a detector; those that only crawlers need come as functions, called once at the first need. */
export interface DetectorParts {
  readonly version: string;
  readonly entries: number;
  readonly expression: string;
  /** The deciding automata, as encodeTable writes them: what a string begins with, and what it has anywhere. */
  readonly anchored: Uint8Array;
  readonly unanchored: Uint8Array;
  /** An expression of common strings that no automaton accepts. */
  readonly familiar: string;
  readonly identification: () => Uint8Array;
  /** In the order of precedence: the identifying automaton's outputs are 1 + an index here. */
  readonly items: () => readonly ItemFacts[];
  readonly alternatives: () => readonly string[];
  readonly strings: () => readonly string[];
}

/** Makes a detector; none of its functions throws, whatever the string. */
export function createDetector(parts: DetectorParts): Detector {
  const familiar = new RegExp(parts.familiar);
  const matcher = createMatcher(decodeTable(parts.unanchored), decodeTable(parts.anchored), familiar);
  const identify = once(() => createIdentifier(decodeTable(parts.identification()), parts.items()));
  return {
    version: parts.version,
    entries: parts.entries,
    expression: parts.expression,
    get alternatives() {
      return parts.alternatives();
    },
    isCrawler: matcher.test,
    isCrawlerBytes: matcher.testBytes,
    check(useragent) {
      return matcher.test(useragent) ? identify()(useragent) : { useragent, crawler: false };
    },
    strings: parts.strings,
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
