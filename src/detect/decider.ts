/** Decides with a compiled catalogue's automata, which are decoded at the first call. */
import { createMatcher, type Matcher } from "./automaton/matcher.ts";
import { decodeTable } from "./automaton/tables.ts";
import type { CompiledCatalogue } from "./compiled-catalogue.ts";
import { toText } from "./text.ts";
import type { Detector } from "./verdict.ts";

/** What decides, as part of a detector. */
export type Decider = Pick<Detector, "isCrawler" | "isCrawlerBytes">;

/** Makes a decider; its functions throw RangeError for damaged tables. */
export function createDecider(catalogue: Pick<CompiledCatalogue, "deciding">): Decider {
  let matcher: Matcher | undefined;
  const decode = (): Matcher => {
    const { unanchored, anchored, familiar } = catalogue.deciding;
    // linear: consists of the catalogue's patterns
    const begins = familiar === undefined ? undefined : new RegExp(familiar, "y");
    return createMatcher(decodeTable(unanchored), anchored.map(decodeTable), begins);
  };
  return {
    isCrawler(useragent) {
      matcher ??= decode();
      return matcher.test(toText(useragent));
    },
    isCrawlerBytes(useragent, from, to) {
      matcher ??= decode();
      return useragent ? matcher.testBytes(useragent, from, to) : matcher.test("");
    },
  };
}
