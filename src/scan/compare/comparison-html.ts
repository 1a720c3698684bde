/** A comparison as one page that needs nothing else: no scripts, no files, no network. */
import { type Html, html, toVisible } from "../../text/html.ts";
import { type Column, tableSection } from "../report/html-table.ts";
import { type PageOptions, toPage } from "../report/report-html.ts";
import type { ComparedCrawler, ComparedRow, Comparison } from "./comparison.ts";
import { figureColumns, ofStatus, toPeriodTexts, toSentence } from "./comparison-text.ts";

const shownRows = 50;

export function toComparisonHtml(comparison: Comparison, { top = shownRows, ...options }: PageOptions): string {
  const { crawlers, categories, purposes, totals, selection = [], notes } = comparison;
  const figures = figureColumns(comparison).map(
    ({ head, cell }): Column<ComparedRow> => ({
      head: head.charAt(0).toUpperCase() + head.slice(1),
      kind: "number",
      cell,
    }),
  );
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
${tableSection("Requests", totals, totals.length, named(""))}
${tableSection("By category", categories, categories.length, named("Category"))}
${tableSection("By purpose", purposes, purposes.length, named("Purpose"))}
${section("Crawlers in both reports", "both")}
<footer>Counts a day are divided by the length of each period. Times are UTC. Made by whocrawls.</footer>
`;
  return toPage("Changes of crawlers in", body, options);
}
