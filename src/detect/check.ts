/** Says of a crawler's user agent whose it is, with the tables that this package was built with. */

import { identification, items } from "../generated/identification.ts";
import { decodeTable } from "./automaton/tables.ts";
import { fromBase64 } from "./base64.ts";
import { isCrawler } from "./decide.ts";
import { createIdentifier, type ItemFacts } from "./identify.ts";
import { toText } from "./to-text.ts";
import type { CrawlerVerdict, UserAgent, Verdict } from "./verdict.ts";

let identify: ((useragent: string) => CrawlerVerdict) | undefined;

/** The verdict on `useragent`; takes as long as `isCrawler` for a person's, and about a microsecond for a crawler's. */
export function check(useragent: UserAgent): Verdict {
  const text = toText(useragent);
  if (!isCrawler(text)) return { useragent: text, crawler: false };
  identify ??= createIdentifier(decodeTable(fromBase64(identification)), JSON.parse(items) as ItemFacts[]);
  return identify(text);
}
