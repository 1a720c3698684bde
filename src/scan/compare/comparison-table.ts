/** A comparison as tables of text. */
import { toPlain } from "../../text/plain-text.ts";
import { type Column, createSections, type TableOptions, textColumn, wrap } from "../report/text-table.ts";
import type { ComparedCrawler, ComparedRow, Comparison } from "./comparison.ts";
import { figureColumns, ofStatus, toPeriodTexts, toSentence } from "./comparison-text.ts";

const shownRows = 25;

/** Lines that end with one. */
export function toComparisonTable(comparison: Comparison, options: TableOptions = {}): string {
  const { width, top = shownRows } = options;
  const { section, toNote } = createSections(options);
  const figures: readonly Column<ComparedRow>[] = figureColumns(comparison);
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
