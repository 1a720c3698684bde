/** Names the crawlers among user agents, with a compiled catalogue's tables, which are decoded at the first crawler. */
import { decodeCompact } from "./automaton/compact.ts";
import type { IdentifyingTables } from "./compiled-catalogue.ts";
import type { Decider } from "./decider.ts";
import { createIdentifier } from "./identify.ts";
import { toText } from "./text.ts";
import type { CrawlerVerdict, UserAgent, Verdict } from "./verdict.ts";

/** Makes the function that gives verdicts. */
export function createCheck(
  isCrawler: Decider["isCrawler"],
  tables: IdentifyingTables,
): (useragent: UserAgent) => Verdict {
  let identify: ((useragent: string) => CrawlerVerdict) | undefined;
  return (useragent) => {
    const text = toText(useragent);
    if (!isCrawler(text)) return { useragent: text, crawler: false };
    identify ??= createIdentifier(decodeCompact(tables.identification), tables.items);
    return identify(text);
  };
}
