/** What has changed since an earlier report, as sections. */

import { type Change, type ComparedCrawler, type ComparedRow, type Comparison, ofStatus } from "./comparison.ts";
import { type Period, toPeriodText } from "./filter-report.ts";
import { toCount, toSize } from "./report-text.ts";
import { type ReportView, toLogName } from "./report-view.ts";
import { type Column, count, name, type Section, text } from "./section.ts";

const shownRows = 30;
/** Crawlers with fewer requests before and now, or a smaller change in percent, are only counted, unless they are new. */
const minRequests = 10;
const minPercent = 10;

export function comparisonSections(view: ReportView): readonly Section<unknown>[] {
  const { comparison, comparedWith = "the earlier report", logs } = view;
  if (comparison === undefined) return [];
  const { crawlers, operators, totals, selection = [], notes, before, now, timezone } = comparison;
  const figures = figureColumns(comparison);
  const ordered = (["new", "gone", "both"] as const).flatMap((status) => ofStatus(crawlers, status));
  const rows = ordered.filter(isNotable);
  const others = ordered.length - rows.length;
  const groups = (id: string, title: string, head: string, rows: readonly ComparedRow[]): Section<ComparedRow> => ({
    ...{ id, title, rows },
    columns: [name(head, ({ name }) => name), ...figures],
  });
  const changed: Section<ComparedCrawler> = {
    ...{ id: "changed", title: "Crawlers that are new, gone or changed", rows, top: shownRows },
    isShownEmpty: crawlers.length > 0,
    note: `${toCount(others)} more changed by less than ${minPercent}%, or have fewer than ${minRequests} requests.`,
    columns: [
      { ...name("crawler", ({ name }) => name), below: ({ category }) => category },
      { ...text("category", ({ category }) => category, 8), in: ["text"] },
      text("status", ({ status }) => (status === "both" ? "changed" : status)),
      ...figures,
    ],
  };
  return [
    {
      ...groups("changes", "What has changed", "requests of", totals),
      summary: `Compared with ${toLogName([comparedWith])}: ${toShortSentence(comparison)}`,
      note: [
        toSentence(comparison),
        `Before, ${toLogName([comparedWith])}: ${toSpan(before.period, timezone)}`,
        `Now, ${toLogName(logs)}: ${toSpan(now.period, timezone)}`,
        ...[selection, notes].flat(),
      ].join(" "),
    },
    changed,
    groups("changed-operators", "Changes by operator", "operator", operators),
  ];
}

function isNotable({ status, requests: { before, now, difference, percent } }: ComparedCrawler): boolean {
  if (status === "new") return true;
  if (Math.max(before, now) < minRequests || difference === 0) return false;
  return percent === undefined || Math.abs(percent) >= minPercent;
}

/** The figures of each row: counts, counts per day and their change; then the bytes. */
function figureColumns({ isNormalized, hasSizes }: Comparison): Section<ComparedRow>["columns"] {
  const column = (
    what: "requests" | "bytes",
    head: string,
    rank: number,
    toText: (change: Change) => string,
  ): Column<ComparedRow> => count(head, (row) => row[what] && toText(row[what]), rank);
  return [
    column("requests", "before", 0, ({ before }) => toCount(before)),
    column("requests", "now", 0, ({ now }) => toCount(now)),
    isNormalized && column("requests", "a day before", 3, ({ perDayBefore = 0 }) => toRate(perDayBefore)),
    isNormalized && column("requests", "a day now", 2, ({ perDayNow = 0 }) => toRate(perDayNow)),
    isNormalized
      ? column("requests", "change", 1, toPercent)
      : column("requests", "difference", 1, ({ difference }) => toSigned(difference, toCount)),
    hasSizes && column("bytes", "bytes before", 6, ({ before }) => toSize(before)),
    hasSizes && column("bytes", "bytes now", 6, ({ now }) => toSize(now)),
    hasSizes &&
      (isNormalized
        ? column("bytes", "change in bytes", 5, toPercent)
        : column("bytes", "difference in bytes", 5, ({ difference }) => toSigned(difference, toSize))),
  ];
}

/** `3 crawlers are new, 1 is gone; requests a day by crawlers: +12.5%.` */
function toShortSentence({ totals, crawlers }: Comparison): string {
  const [fresh, gone] = (["new", "gone"] as const).map((status) => ofStatus(crawlers, status).length);
  const percent = toPercent(totals[1]!.requests);
  const change = percent === "" ? "" : `; requests a day by crawlers: ${percent}`;
  return `${fresh === 1 ? "1 crawler is" : `${fresh} crawlers are`} new, ${gone} ${gone === 1 ? "is" : "are"} gone${change}.`;
}

/** `Of 44 crawlers, 3 are new, 1 is gone, 40 are in both reports.` */
function toSentence({ crawlers }: Comparison): string {
  const some = (wanted: ComparedCrawler["status"]): string => {
    const count = ofStatus(crawlers, wanted).length;
    return `${toCount(count)} ${count === 1 ? "is" : "are"}`;
  };
  return `Of ${toCount(crawlers.length)} crawlers, ${some("new")} new, ${some("gone")} gone, ${some("both")} in both reports.`;
}

/** `2026-03-01 00:00 to 2026-03-08 00:00 UTC, 7.0 days.` */
function toSpan(period: Period | undefined, timezone: string): string {
  if (period === undefined) return "no requests with a time.";
  return `${toPeriodText(period, timezone)}, ${toLength(period.seconds)}.`;
}

function toLength(seconds: number): string {
  if (seconds >= 86_400) return `${(seconds / 86_400).toFixed(1)} days`;
  if (seconds >= 3600) return `${(seconds / 3600).toFixed(1)} hours`;
  return seconds >= 60 ? `${(seconds / 60).toFixed(1)} minutes` : `${seconds} s`;
}

const fractions = [2, 1, 0].map((digits) => new Intl.NumberFormat("en", { maximumFractionDigits: digits }));

/** With two fractional digits below 10, one below 100, and none above. */
function toRate(perDay: number): string {
  return fractions[perDay < 10 ? 0 : perDay < 100 ? 1 : 2]!.format(perDay);
}

/** A value that is rounded to 0 has no sign. */
function toSigned(value: number, toText: (size: number) => string): string {
  const text = toText(Math.abs(value));
  return text === toText(0) ? text : `${value > 0 ? "+" : "-"}${text}`;
}

/** `+12.5%`; empty if the count before was 0. */
function toPercent({ percent }: Change): string {
  return percent === undefined ? "" : `${toSigned(percent, (size) => fractions[1]!.format(size))}%`;
}
