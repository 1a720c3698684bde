/**
 * Decides with the automata that this package was built with. A module of its own, as its neighbors, so that a bundle has only
 * the tables of what it uses.
 */
import { createRowsDecider } from "../decider.ts";
import type { UserAgent } from "../verdict.ts";
import { decidingRows } from "./tables.ts";

const decider = /* @__PURE__ */ createRowsDecider(() => decidingRows());

/**
 * Whether `useragent` belongs to a crawler; takes a fraction of a microsecond. A missing one counts as the empty string, which
 * is a crawler's, because every browser sends one. Throws TypeError for any other type.
 */
export function isCrawler(useragent: UserAgent): boolean {
  return decider.isCrawler(useragent);
}

/**
 * As `isCrawler`, of the bytes from `from` to before `to` (ASCII, Latin-1 or UTF-8), without making a string of them: for
 * lines of logs. Offsets beyond the bytes mean their ends.
 */
export function isCrawlerBytes(useragent: Uint8Array | null | undefined, from?: number, to?: number): boolean {
  return decider.isCrawlerBytes(useragent, from, to);
}
