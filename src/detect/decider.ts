/** Decides with a compiled catalogue's automata, which are read at the first call. */
import { createMatcher, type Matcher } from "./automaton/matcher.ts";
import { acceptsFilling, fillAll, type Rows, readRows } from "./automaton/tables.ts";
import type { CompiledCatalogue } from "./compiled-catalogue.ts";
import { toText } from "./text.ts";
import type { Detector } from "./verdict.ts";

/** What decides, as part of a detector. */
export type Decider = Pick<Detector, "isCrawler" | "isCrawlerBytes">;

/** How many strings are decided before all rows of the tables are filled: a program that decides more of them decides many. */
const few = 32;

/** Makes a decider; its functions throw RangeError for damaged tables. */
export function createDecider(catalogue: Pick<CompiledCatalogue, "deciding">): Decider {
  let matcher: Matcher | undefined;
  let rows: readonly Rows[] | undefined;
  let left = few;
  const open = (): readonly Rows[] => {
    const { unanchored, anchored } = catalogue.deciding;
    return [unanchored, ...anchored].map(readRows);
  };
  const decode = (): Matcher => {
    rows ??= open();
    const { familiar } = catalogue.deciding;
    // linear: consists of the catalogue's patterns
    const begins = familiar === undefined ? undefined : new RegExp(familiar, "y");
    rows.forEach(fillAll);
    const [unanchored, ...anchored] = rows.map(({ table }) => table);
    rows = undefined;
    return createMatcher(unanchored!, anchored, begins);
  };
  const decideFirst = (text: string): boolean => {
    rows ??= open();
    for (const one of rows) if (acceptsFilling(one, text)) return true;
    return false;
  };
  return {
    isCrawler(useragent) {
      if (matcher === undefined) {
        if (left-- > 0) return decideFirst(toText(useragent));
        matcher = decode();
      }
      return matcher.test(toText(useragent));
    },
    isCrawlerBytes(useragent, from, to) {
      matcher ??= decode();
      return useragent ? matcher.testBytes(useragent, from, to) : matcher.test("");
    },
  };
}
