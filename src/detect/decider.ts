/** Decides with a compiled catalogue's automata, which are read at the first call. */
import { createMatcher, type Matcher } from "./automaton/matcher.ts";
import { acceptsByRows, fillRows, maxCharactersByRows, type Rows, readRows } from "./automaton/tables.ts";
import type { CompiledCatalogue, DecidingTables } from "./compiled-catalogue.ts";
import { fromBytesText, toText } from "./text.ts";
import type { Detector } from "./verdict.ts";

/** What decides, as part of a detector. */
export type Decider = Pick<Detector, "isCrawler" | "isCrawlerBytes">;

/** The deciding automata before their rows are filled. The first automaton finds what may occur anywhere in a string. */
export interface DecidingRows {
  readonly rows: readonly Rows[];
  readonly familiar: string | undefined;
}

/** Makes a decider; its functions throw RangeError for damaged tables. */
export function createDecider({ deciding }: Pick<CompiledCatalogue, "deciding">): Decider {
  return createRowsDecider(() => openRows(deciding));
}

/** Reads the automata. */
export function openRows({ unanchored, anchored, familiar }: DecidingTables): DecidingRows {
  return { rows: [unanchored, ...anchored].map((text) => readRows(fromBytesText(text))), familiar };
}

/** As createDecider, of rows that are opened at the first call. */
export function createRowsDecider(open: () => DecidingRows): Decider {
  let matcher: Matcher | undefined;
  let opened: DecidingRows | undefined;
  let left = maxCharactersByRows;
  const decode = (): Matcher => {
    const { rows, familiar } = opened ?? open();
    opened = undefined;
    // linear: consists of the catalogue's patterns
    const begins = familiar === undefined ? undefined : new RegExp(familiar, "y");
    const [unanchored, ...anchored] = rows.map(fillRows);
    return createMatcher(unanchored!, anchored, begins);
  };
  const decideFirst = (text: string): boolean => {
    opened ??= open();
    for (const rows of opened.rows) if (acceptsByRows(rows, text)) return true;
    return false;
  };
  return {
    isCrawler(useragent) {
      if (matcher === undefined) {
        const text = toText(useragent);
        left -= text.length;
        if (left > 0) return decideFirst(text);
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
