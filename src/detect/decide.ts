/**
 * Decides with the automata that this package was built with. They are decoded at the first call, so that importing them
 * costs nothing at start, and bundlers can leave out what is not used.
 */

import { anchored, familiar, unanchored } from "../generated/decision.ts";
import { createMatcher, type Matcher } from "./automaton/matcher.ts";
import { decodeTable } from "./automaton/tables.ts";
import { fromBase64 } from "./base64.ts";
import { toText } from "./to-text.ts";
import type { UserAgent } from "./verdict.ts";

let matcher: Matcher | undefined;

function createDecider(): Matcher {
  const [searching, beginning] = [unanchored, anchored].map((text) => decodeTable(fromBase64(text)));
  return createMatcher(searching!, beginning!, new RegExp(familiar, "y"));
}

/**
 * Whether `useragent` belongs to a crawler; takes a fraction of a microsecond. A missing one counts as the empty string, which
 * is a crawler's, because every browser sends one. Throws TypeError for any other type.
 */
export function isCrawler(useragent: UserAgent): boolean {
  matcher ??= createDecider();
  return matcher.test(toText(useragent));
}

/**
 * As `isCrawler`, of the bytes from `from` to before `to` (ASCII, Latin-1 or UTF-8), without making a string of them: for
 * lines of logs. Offsets beyond the bytes mean their ends.
 */
export function isCrawlerBytes(useragent: Uint8Array | null | undefined, from?: number, to?: number): boolean {
  matcher ??= createDecider();
  return useragent ? matcher.testBytes(useragent, from, to) : matcher.test("");
}
