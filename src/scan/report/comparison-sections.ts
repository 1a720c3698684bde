/** What has changed since an earlier report, as sections. */
import type { Change, ComparedCrawler, ComparedRow, Comparison } from "./comparison.ts";
import { ofStatus, toPercent, toPeriodTexts, toRate, toSentence, toSigned } from "./comparison-text.ts";
import { toCount, toSize } from "./report-text.ts";
import { type ReportView, toLogName } from "./report-view.ts";
import { type Column, count, name, type Section, text } from "./section.ts";

const shownRows = 30;
/** Crawlers whose requests changed by less than this percentage are collapsed. */
const littlePercent = 10;

export function comparisonSections({
  comparison,
  comparedWith = "the earlier report",
  logs,
}: ReportView): readonly Section<unknown>[] {
  if (comparison === undefined) return [];
  const { crawlers, categories, purposes, totals, selection = [], notes } = comparison;
  const figures = figureColumns(comparison);
  const section = (id: string, title: string, rows: readonly ComparedCrawler[]): Section<ComparedCrawler> => ({
    id,
    title,
    rows,
    top: shownRows,
    columns: [
      { ...name("crawler", ({ name }) => name), below: ({ category }) => category },
      { ...text("category", "category", ({ category }) => category, 8), only: ["text"] },
      ...figures,
    ],
  });
  const groups = (id: string, title: string, head: string, rows: readonly ComparedRow[]): Section<ComparedRow> => ({
    id,
    title,
    rows,
    columns: [name(head, ({ name }) => name), ...figures],
  });
  const both = ofStatus(crawlers, "both");
  const changed = both.filter((row) => !isLittle(row));
  const [before, now] = toPeriodTexts(comparison);
  const little = both.length - changed.length;
  return [
    {
      ...groups("changes", "What has changed", "requests of", totals),
      note: [
        toSentence(comparison),
        `Before, ${toLogName([comparedWith])}: ${before}`,
        `Now, ${toLogName(logs)}: ${now}`,
        ...[selection, notes].flat(),
      ].join(" "),
    },
    section("new", "New crawlers", ofStatus(crawlers, "new")),
    section("gone", "Crawlers no longer seen", ofStatus(crawlers, "gone")),
    {
      ...section("changed", "Crawlers in both reports", changed),
      note: little === 0 ? undefined : `${toCount(little)} more changed by less than ${littlePercent}%.`,
      isShownEmpty: both.length > 0,
    },
    { ...section("unchanged", "Crawlers that changed little", both.filter(isLittle)), only: ["html"] },
    groups("changed-categories", "Changes by category", "category", categories),
    groups("changed-purposes", "Changes by purpose", "purpose", purposes),
  ];
}

function isLittle({ requests: { difference, percent } }: ComparedRow): boolean {
  return difference === 0 || (percent !== undefined && Math.abs(percent) < littlePercent);
}

/** The figures of each row: counts, counts per day and their change; then the bytes. */
function figureColumns({ isNormalized, hasSizes }: Comparison): readonly Column<ComparedRow>[] {
  const column = (
    what: "requests" | "bytes",
    head: string,
    rank: number,
    toText: (change: Change) => string,
  ): Column<ComparedRow> => ({
    ...count(head, head, (row) => row[what] && toText(row[what]), rank),
  });
  return [
    column("requests", "before", 0, ({ before }) => toCount(before)),
    column("requests", "now", 0, ({ now }) => toCount(now)),
    ...(isNormalized
      ? [
          column("requests", "a day before", 3, ({ perDayBefore = 0 }) => toRate(perDayBefore)),
          column("requests", "a day now", 2, ({ perDayNow = 0 }) => toRate(perDayNow)),
          column("requests", "change", 1, toPercent),
        ]
      : [column("requests", "difference", 1, ({ difference }) => toSigned(difference, toCount))]),
    ...(hasSizes
      ? [
          column("bytes", "bytes before", 6, ({ before }) => toSize(before)),
          column("bytes", "bytes now", 6, ({ now }) => toSize(now)),
          isNormalized
            ? column("bytes", "change in bytes", 5, toPercent)
            : column("bytes", "difference in bytes", 5, ({ difference }) => toSigned(difference, toSize)),
        ]
      : []),
  ];
}
