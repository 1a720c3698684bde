/** A comparison as people read it: sentences, periods and figures. */

import type { Change, ComparedCrawler, Comparison } from "./comparison.ts";
import { type Period, toPeriodText } from "./filter-report.ts";
import { toCount } from "./report-text.ts";

/** `3 crawlers are new, 1 is gone, 40 are in both reports.` */
export function toSentence({ crawlers }: Comparison): string {
  const some = (wanted: ComparedCrawler["status"]): string => {
    const count = ofStatus(crawlers, wanted).length;
    return `${toCount(count)} ${count === 1 ? "is" : "are"}`;
  };
  return `Of ${toCount(crawlers.length)} crawlers, ${some("new")} new, ${some("gone")} gone, ${some("both")} in both reports.`;
}

/** The crawlers of a status; new ones with the most requests first, gone ones with the most requests before. */
export function ofStatus(
  crawlers: readonly ComparedCrawler[],
  wanted: ComparedCrawler["status"],
): readonly ComparedCrawler[] {
  return crawlers.filter(({ status }) => status === wanted);
}

/** `2026-03-01 00:00 to 2026-03-08 00:00 UTC, 7.0 days.`, before and now. */
export function toPeriodTexts({ before, now, timezone }: Comparison): readonly [before: string, now: string] {
  return [toPeriodWithLength(before.period, timezone), toPeriodWithLength(now.period, timezone)];
}

function toPeriodWithLength(period: Period | undefined, timezone: string): string {
  if (period === undefined) return "a log without times.";
  return `${toPeriodText(period, timezone)}, ${toLength(period.seconds)}.`;
}

function toLength(seconds: number): string {
  if (seconds >= 86_400) return `${(seconds / 86_400).toFixed(1)} days`;
  if (seconds >= 3600) return `${(seconds / 3600).toFixed(1)} hours`;
  return seconds >= 60 ? `${(seconds / 60).toFixed(1)} minutes` : `${seconds} s`;
}

const fractions = [2, 1, 0].map((digits) => new Intl.NumberFormat("en", { maximumFractionDigits: digits }));

/** With two fractional digits below 10, one below 100, and none above. */
export function toRate(perDay: number): string {
  return fractions[perDay < 10 ? 0 : perDay < 100 ? 1 : 2]!.format(perDay);
}

/** A value that is rounded to 0 has no sign. */
export function toSigned(value: number, toText: (size: number) => string): string {
  const text = toText(Math.abs(value));
  return text === toText(0) ? text : `${value > 0 ? "+" : "-"}${text}`;
}

/** `+12.5%`; empty if the count before was 0. */
export function toPercent({ percent }: Change): string {
  return percent === undefined ? "" : `${toSigned(percent, (size) => fractions[1]!.format(size))}%`;
}
