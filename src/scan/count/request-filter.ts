/** Which requests of a log a scan counts. The scanner applies it to each line. */
import type { Category } from "../../detect/categories.ts";
import type { CrawlerFacts } from "./crawler-tally.ts";

/** Requests pass if they meet every member and, for a list, one of its items. Plain data, so that it can be sent to another thread. */
export interface RequestFilter {
  /** Seconds since 1970; `until` is exclusive. Requests without a time do not pass. */
  readonly since?: number;
  readonly until?: number;
  /** Prefixes of the path, as the log has it, without the query. */
  readonly paths?: readonly string[];
  /** Names of crawlers; case does not matter. */
  readonly crawlers?: readonly string[];
  readonly categories?: readonly Category[];
}

/** Whether a time is in the period; NaN is only in a period without limits. */
export function isInPeriod(at: number, since: number | undefined, until: number | undefined): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until);
}

/** Makes the function that says whether a crawler passes; undefined if people pass, too. */
export function selectsCrawler({
  crawlers,
  categories,
}: RequestFilter): ((facts: Pick<CrawlerFacts, "name" | "category">) => boolean) | undefined {
  if (crawlers === undefined && categories === undefined) return undefined;
  const names = crawlers && new Set(crawlers.map((name) => name.toLowerCase()));
  return ({ name, category }) =>
    (names === undefined || names.has(name.toLowerCase())) &&
    (categories === undefined || categories.includes(category));
}
