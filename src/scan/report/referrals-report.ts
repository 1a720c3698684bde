/** The visits of people referred by operators' pages and apps, compared with what the operators' crawlers fetched. */
import { type Purpose, purposes } from "../../detect/categories.ts";
import type { CrawlerTally, VerificationCounts } from "../count/crawler-tally.ts";
import { countVisits } from "../count/referrals.ts";
import { referrers } from "../count/referrers.ts";
import { sumOf } from "../count/sums.ts";
import type { Tally } from "../count/tally.ts";
import { toCount, toRequests } from "./report-text.ts";
import { sumByResult } from "./verification.ts";

/** What crawlers fetched, and for each visit; `fetchesPerVisit` is absent without visits. */
interface Fetches {
  readonly fetches: number;
  readonly fetchesPerVisit?: number;
}

export interface OperatorReferrals extends Fetches {
  readonly operator: string;
  readonly visits: number;
  /** The pages and apps that visits came from, the most visits first. */
  readonly from: readonly { readonly name: string; readonly visits: number }[];
  /** By the crawlers' purposes; a crawler with two counts in both, one without a purpose in none. */
  readonly purposes: readonly (Fetches & { readonly name: Purpose })[];
}

export interface ReferralsReport {
  /** Requests by people, and how many of them carry a referrer. */
  readonly requests: number;
  readonly withReferrer: number;
  /** Operators with visits or fetches, the most visits first. */
  readonly operators: readonly OperatorReferrals[];
}

/** Undefined if the log has no referrers. */
export function toReferralsReport({ referrals, crawlers }: Tally): ReferralsReport | undefined {
  const { requests, withReferrer } = referrals;
  const visits = countVisits(referrals);
  if (withReferrer === 0 && visits.every((count) => count === 0)) return undefined;
  const names = [...new Set(referrers.map(({ operator }) => operator))];
  const operators = names.map((operator): OperatorReferrals => {
    const from = referrers
      .map(({ name, operator }, item) => ({ name, operator, visits: visits[item] ?? 0 }))
      .filter((one) => one.operator === operator && one.visits > 0)
      .map(({ name, visits }) => ({ name, visits }))
      .sort((a, b) => b.visits - a.visits);
    const own = [...crawlers.values()].filter(({ facts }) => facts.operator === operator);
    const sum = from.reduce((total, { visits }) => total + visits, 0);
    return {
      operator,
      visits: sum,
      ...toFetches(own, sum),
      from,
      purposes: purposes
        .map((name) => ({ name, own: own.filter(({ facts }) => facts.purposes.includes(name)) }))
        .filter(({ own }) => own.length > 0)
        .map(({ name, own }) => ({ name, ...toFetches(own, sum) })),
    };
  });
  return {
    requests,
    withReferrer,
    operators: operators
      .filter(({ visits, fetches }) => visits > 0 || fetches > 0)
      .sort((a, b) => b.visits - a.visits || b.fetches - a.fetches),
  };
}

/** The requests of a crawler, excluding those of imitators as far as it was verified. */
export function fetchesOf({
  requests,
  verification,
}: {
  readonly requests: number;
  readonly verification?: VerificationCounts | undefined;
}): number {
  return requests - (verification?.spoofed ?? 0);
}

function toFetches(crawlers: readonly CrawlerTally[], visits: number): Fetches {
  const fetches = sumOf(crawlers, (crawler) =>
    fetchesOf({ requests: crawler.requests, verification: sumByResult(crawler, ({ requests }) => requests) }),
  );
  const fetchesPerVisit = toFetchesPerVisit(fetches, visits);
  return { fetches, ...(fetchesPerVisit !== undefined && { fetchesPerVisit }) };
}

/** Rounded to three digits; undefined without visits. */
export function toFetchesPerVisit(fetches: number, visits: number): number | undefined {
  return visits > 0 ? Number((fetches / visits).toPrecision(3)) : undefined;
}

/** What the visits leave out. */
export function toReferralsNote({ requests, withReferrer }: ReferralsReport): string {
  return `Many clicks carry no referrer, so there are more visits than are counted here. Of ${toRequests(requests)} by people, ${toCount(withReferrer)} carry a referrer, the site's own pages included.`;
}

/** Of three digits: `0.25`, `12`, `1,230`; a hyphen without visits. */
export function toRatio({ fetchesPerVisit }: Fetches): string {
  return fetchesPerVisit === undefined
    ? "-"
    : new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format(fetchesPerVisit);
}

/** `search 12 (3 per visit)`, `training 3`. */
export function toPurposes({ purposes }: OperatorReferrals): readonly string[] {
  return purposes.map((purpose) => {
    const each = purpose.fetchesPerVisit === undefined ? "" : ` (${toRatio(purpose)} per visit)`;
    return `${purpose.name} ${toCount(purpose.fetches)}${each}`;
  });
}

/** The pages and apps of an operator with several: `Bing 12, Copilot 3`. */
export function toSources({ from }: OperatorReferrals): string {
  return from.map(({ name, visits }) => `${name} ${toCount(visits)}`).join(", ");
}
