/** A comparison as one page that needs nothing else: no scripts, no files, no network. */
import { type Html, html, toVisible } from "../../text/html.ts";
import { type Column, tableSection } from "../report/html-table.ts";
import { type PageOptions, toPage } from "../report/report-html.ts";
import { toCount, toSize } from "../report/report-text.ts";
import type { Change, ComparedCrawler, ComparedRow, Comparison } from "./comparison.ts";
import { ofStatus, toPercent, toPeriodTexts, toRate, toSentence, toSigned } from "./comparison-text.ts";

const shownRows = 50;

export function toComparisonHtml(comparison: Comparison, { top = shownRows, ...options }: PageOptions): string {
  const { crawlers, categories, purposes, totals, selection = [], notes } = comparison;
  const figures = toFigureColumns(comparison);
  const named = (head: string): readonly Column<ComparedRow>[] => [
    { head, kind: "name", cell: ({ name }) => toVisible(name) },
    ...figures,
  ];
  const crawlerColumns: readonly Column<ComparedCrawler>[] = [
    { head: "Crawler", kind: "name", cell: ({ name, category }) => html`${toVisible(name)}<small>${category}</small>` },
    ...figures,
  ];
  const section = (title: string, status: ComparedCrawler["status"]): Html =>
    tableSection(title, ofStatus(crawlers, status), top, crawlerColumns);
  const body = html`<header><h1>What has changed</h1><p>${toSentence(comparison)}</p>${toPeriodTexts(comparison).map((text) => html`<p>${text}</p>`)}${[selection, notes].flat().map((note) => html`<p class="note">${toVisible(note)}</p>`)}</header>
${section("New crawlers", "new")}
${section("Gone crawlers", "gone")}
${tableSection("In all", totals, totals.length, named("Requests of"))}
${tableSection("By category", categories, categories.length, named("Category"))}
${tableSection("By purpose", purposes, purposes.length, named("Purpose"))}
${section("Crawlers in both reports", "both")}
<footer>Counts a day are divided by the length of each period. Times are ${comparison.timezone}. Made by whocrawls.</footer>
`;
  return toPage("Changes of crawlers in", body, options);
}

/** Counts, with the counts per day below them: a column for each would not fit the page. */
function toFigureColumns({ isNormalized, hasSizes }: Comparison): readonly Column<ComparedRow>[] {
  const perDay = (text: string): Html | false => isNormalized && html`<br><small>${text} a day</small>`;
  const columns = (
    [before, now, change]: readonly [string, string, string],
    changeOf: (row: ComparedRow) => Change | undefined,
    toText: (value: number) => string,
    toDaily: (value: number) => string,
  ): readonly Column<ComparedRow>[] => {
    const column = (head: string, toCell: (change: Change) => Html): Column<ComparedRow> => ({
      head,
      kind: "number",
      cell: (row) => {
        const found = changeOf(row);
        return found === undefined ? "" : toCell(found);
      },
    });
    return [
      column(before, ({ before, perDayBefore = 0 }) => html`${toText(before)}${perDay(toDaily(perDayBefore))}`),
      column(now, ({ now, perDayNow = 0 }) => html`${toText(now)}${perDay(toDaily(perDayNow))}`),
      isNormalized
        ? column(change, (found) => html`${toPercent(found)}${perDay(toSigned(found.perDayDifference ?? 0, toDaily))}`)
        : column(change, ({ difference }) => html`${toSigned(difference, toText)}`),
    ];
  };
  return [
    ...columns(["Before", "Now", "Change"], ({ requests }) => requests, toCount, toRate),
    ...(hasSizes ? columns(["Bytes before", "Bytes now", "Bytes change"], ({ bytes }) => bytes, toSize, toSize) : []),
  ];
}
