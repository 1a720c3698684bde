/** The period of a report, its filter, and the number of requests that the filter excluded. */
import type { RequestFilter } from "../count/request-filter.ts";
import type { Tally } from "../count/tally.ts";
import { toCount, toIso, toMinute } from "./report-text.ts";

/** The part of a log's time that its report is about. */
export interface Period {
  /** The first request of the log, or `since` of the filter if the log begins earlier. ISO 8601. */
  readonly from: string;
  /** The last request of the log, or `until` of the filter if the log ends later. */
  readonly to: string;
  readonly seconds: number;
}

/** The filter of a report, and the requests that it excluded. */
export interface FilterReport extends Omit<RequestFilter, "since" | "until"> {
  /** ISO 8601. */
  readonly since?: string;
  readonly until?: string;
  readonly excluded: number;
  /** Of these, requests without a time, where the filter has one. */
  readonly untimed: number;
}

/** Undefined if no request in the filter's period has a time. */
export function toPeriod(
  { first, last }: Tally,
  { since = first, until = last }: RequestFilter = {},
): Period | undefined {
  const from = Math.max(first, since);
  const to = Math.min(last, until);
  return from <= to ? { from: toIso(from), to: toIso(to), seconds: to - from } : undefined;
}

/** `2026-03-01 00:00 to 2026-03-08 00:00 UTC`. */
export function toPeriodText({ from, to }: Period, timezone: string): string {
  return `${toMinute(from)} to ${toMinute(to)} ${timezone}`;
}

export function toFilterReport({ since, until, ...others }: RequestFilter, { excluded, untimed }: Tally): FilterReport {
  return {
    ...(since !== undefined && { since: toIso(since) }),
    ...(until !== undefined && { until: toIso(until) }),
    ...others,
    excluded,
    untimed,
  };
}

/** `Only requests since 2026-03-01T00:00:00Z, of paths that begin with /blog/; 1,204 others are not counted.` */
export function toFilterText({ since, until, paths, crawlers, categories, excluded }: FilterReport): string {
  const or = (words: readonly string[] = []): string => words.join(" or ");
  const parts = [
    since === undefined ? "" : `since ${since}`,
    until === undefined ? "" : `before ${until}`,
    paths === undefined ? "" : `for paths that begin with ${or(paths)}`,
    crawlers === undefined ? "" : `by crawlers named ${or(crawlers)}`,
    categories === undefined ? "" : `by crawlers of the category ${or(categories)}`,
  ];
  return `Only requests ${parts.filter((part) => part !== "").join(", ")}; ${excluded === 1 ? "1 other is" : `${toCount(excluded)} others are`} not counted.`;
}
