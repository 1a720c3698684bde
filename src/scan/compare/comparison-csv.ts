/** A comparison as CSV for spreadsheets: a row for each total, category, purpose and crawler. */
import { capitalize } from "../../text/capitalize.ts";
import { toSpreadsheetCsv } from "../../text/csv.ts";
import { toPlain } from "../../text/plain-text.ts";
import type { Change, ComparedCrawler, ComparedRow, Comparison } from "./comparison.ts";

const figures = [
  "before",
  "now",
  "difference",
  "perDayBefore",
  "perDayNow",
  "perDayDifference",
  "percent",
] as const satisfies readonly (keyof Change)[];

export function toComparisonCsv({ before, now, hasSizes, totals, categories, purposes, crawlers }: Comparison): string {
  const sides = [before.period?.from, before.period?.to, now.period?.from, now.period?.to];
  const toRow = (kind: string, row: ComparedRow & Partial<ComparedCrawler>) => [
    kind,
    toPlain(row.name),
    row.status,
    row.category,
    row.rule,
    ...figures.map((figure) => row.requests[figure]),
    ...(hasSizes ? figures.map((figure) => row.bytes?.[figure]) : []),
    ...sides,
  ];
  const titled = (what: string): string[] => figures.map((figure) => what + capitalize(figure));
  return toSpreadsheetCsv([
    [
      ...["kind", "name", "status", "category", "rule", ...titled("requests"), ...(hasSizes ? titled("bytes") : [])],
      ...["fromBefore", "toBefore", "fromNow", "toNow"],
    ],
    ...totals.map((row) => toRow("total", row)),
    ...categories.map((row) => toRow("category", row)),
    ...purposes.map((row) => toRow("purpose", row)),
    ...crawlers.map((row) => toRow("crawler", row)),
  ]);
}
