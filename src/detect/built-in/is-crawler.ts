/**
 * Decides with the automata that this package was built with. A module of its own, as its neighbors, so that a bundle has only
 * the tables of what it uses.
 */
import { anchored, familiar, unanchored } from "../../generated/decision.ts";
import { createDecider } from "../decider.ts";
import { fromBytesText } from "../text.ts";
import type { UserAgent } from "../verdict.ts";

const decider = /* @__PURE__ */ createDecider({
  get deciding() {
    return { unanchored: fromBytesText(unanchored), anchored: anchored.map(fromBytesText), familiar };
  },
});

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
