/** Names the crawlers among user agents, with a compiled catalogue's index, which is read at the first crawler. */
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
    identify ??= createIdentifier(tables);
    return identify(text);
  };
}
