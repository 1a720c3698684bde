/** A comparison as tables of text. */
import { toPlain } from "../../text/plain-text.ts";
import { toCount, toSize } from "../report/report-text.ts";
import { type Column, createSections, type TableOptions, textColumn, wrap } from "../report/text-table.ts";
import type { Change, ComparedCrawler, ComparedRow, Comparison } from "./comparison.ts";
import { ofStatus, toPercent, toPeriodTexts, toRate, toSentence, toSigned } from "./comparison-text.ts";

const shownRows = 25;

/** Lines that end with one. */
export function toComparisonTable(comparison: Comparison, options: TableOptions = {}): string {
  const { width, top = shownRows } = options;
  const { section, toNote } = createSections(options);
  const figures = toFigureColumns(comparison);
  const named = (head: string): readonly Column<ComparedRow>[] => [textColumn(head, ({ name }) => name), ...figures];
  const crawlerColumns: readonly Column<ComparedCrawler>[] = [
    textColumn("crawler", ({ name }) => name),
    textColumn("category", ({ category }) => category, 8),
    ...figures,
  ];
  const { crawlers, categories, purposes, totals, selection = [], notes } = comparison;
  const texts = [toSentence(comparison), ...toPeriodTexts(comparison), selection, ...notes].flat();
  const sections = [
    texts.map((text) => `${wrap(toPlain(text), width)}\n`).join(""),
    section("New crawlers", ofStatus(crawlers, "new"), top, crawlerColumns),
    section("Gone crawlers", ofStatus(crawlers, "gone"), top, crawlerColumns),
    section("In all", totals, totals.length, named("requests of")),
    section("By category", categories, categories.length, named("category")),
    section("By purpose", purposes, purposes.length, named("purpose")),
    section("Crawlers in both reports", ofStatus(crawlers, "both"), top, crawlerColumns),
  ];
  return [...sections, toNote()].filter((text) => text !== "").join("\n");
}

/** The figures of each row: counts, counts per day and their change; then the bytes. */
function toFigureColumns({ isNormalized, hasSizes }: Comparison): readonly Column<ComparedRow>[] {
  const column = (head: string, rank: number, toText: (change: Change) => string): Column<ComparedRow> => ({
    head,
    rank,
    cell: ({ requests }) => toText(requests),
  });
  const bytes = (head: string, rank: number, toText: (change: Change) => string): Column<ComparedRow> => ({
    head,
    rank,
    cell: ({ bytes }) => (bytes === undefined ? "" : toText(bytes)),
  });
  return [
    column("before", 0, ({ before }) => toCount(before)),
    column("now", 0, ({ now }) => toCount(now)),
    ...(isNormalized
      ? [
          column("a day before", 3, ({ perDayBefore = 0 }) => toRate(perDayBefore)),
          column("a day now", 2, ({ perDayNow = 0 }) => toRate(perDayNow)),
          column("difference a day", 4, ({ perDayDifference = 0 }) => toSigned(perDayDifference, toRate)),
          column("change", 1, toPercent),
        ]
      : [column("difference", 1, ({ difference }) => toSigned(difference, toCount))]),
    ...(hasSizes
      ? [
          bytes("bytes before", 6, ({ before }) => toSize(before)),
          bytes("bytes now", 6, ({ now }) => toSize(now)),
          ...(isNormalized
            ? [
                bytes("bytes a day", 7, ({ perDayDifference = 0 }) => toSigned(perDayDifference, toSize)),
                bytes("bytes change", 5, toPercent),
              ]
            : [bytes("bytes difference", 7, ({ difference }) => toSigned(difference, toSize))]),
        ]
      : []),
  ];
}
