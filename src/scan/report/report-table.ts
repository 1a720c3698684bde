/**
 * A report as text tables: complete in a pipe; on a terminal fitted to its width, with bars and colors. Columns that do not fit are left
 * out, the least important first; only names and paths are shortened, never a number.
 */
import { fit, widthOf, wrap } from "../../text/columns.ts";
import { toPlain } from "../../text/plain-text.ts";
import { toFilterText } from "./filter-report.ts";
import { toFindings } from "./findings.ts";
import type { Report } from "./report.ts";
import { noSizes, toCount, toShare, toSize } from "./report-text.ts";
import { type ReportView, toPeriodSentence } from "./report-view.ts";
import { type Column, columnsOf, isIn, type Section, toValueText } from "./section.ts";
import { toSections } from "./sections.ts";
import { toWarnings } from "./warnings.ts";

export interface TableOptions {
  /** The terminal's columns; undefined if the output is no terminal. */
  readonly width?: number | undefined;
  /** Whether the terminal shows colors. */
  readonly hasColors?: boolean | undefined;
}

const maxColumn = 44;
const barWidth = 12;
/**
 * The first column is not shortened below the first width to make room for a column that could be omitted, nor below the second for any
 * other.
 */
const comfortable = 24;
const least = 12;

/** SGR codes of terminals. */
const bold = 1;
const faint = 2;
const red = 31;
const yellow = 33;

/** The lines of the report, including a final line end. */
export function toTable(view: ReportView, options: TableOptions = {}): string {
  const { filter } = view.report;
  const { width } = options;
  const warnings = toWarnings(view.report).map((text) => `${wrap(toPlain(text), width)}\n`);
  const tables = [totalSection(view.report), ...toSections(view)]
    .filter((section) => isIn(section, "text"))
    .map((section) => toTextSection(section, options, view.top));
  const findings = toFindings(view).map(({ text }) => `${wrap(toPlain(`- ${text}`), width)}\n`);
  return [
    [toPeriodSentence(view.report), ...(filter === undefined ? [] : [toFilterText(filter)])]
      .map((text) => `${wrap(toPlain(text), width)}\n`)
      .join(""),
    ...warnings,
    `${toHeading("What needs action", options)}${findings.join("")}`,
    ...tables.map(({ text }) => text),
    tables.some(({ hidden }) => hidden > 0)
      ? `${fit("Columns that do not fit are left out; --format json has all.", width)}\n`
      : "",
  ]
    .filter((text) => text !== "")
    .join("\n");
}

type Total = readonly [name: string, all: string, crawlers: string, share: string];

function totalSection({
  lines,
  broken,
  requests,
  crawlerRequests,
  bytes,
  crawlerBytes,
  hasSizes,
}: Report): Section<Total> {
  return {
    id: "",
    title: "",
    rows: [
      ["requests", toCount(requests), `crawlers ${toCount(crawlerRequests)}`, toShare(crawlerRequests, requests)],
      hasSizes
        ? ["bytes", toSize(bytes), `crawlers ${toSize(crawlerBytes)}`, toShare(crawlerBytes, bytes)]
        : ["bytes", "", noSizes, ""],
      ["lines", toCount(lines), broken > 0 ? `unreadable ${toCount(broken)}` : "", ""],
    ],
    columns: [0, 1, 2, 3].map((at) => ({
      head: "",
      kind: at === 0 || at === 2 ? "text" : "count",
      of: (row) => row[at],
      rank: at,
    })),
  };
}

/** A section, and how many of its columns did not fit; empty without rows. */
function toTextSection(
  section: Section<unknown>,
  options: TableOptions,
  top = section.top ?? section.rows.length,
): { readonly text: string; readonly hidden: number } {
  const { title, note, rows, details, isShownEmpty = false } = section;
  if (rows.length === 0 && !isShownEmpty) return { text: "", hidden: 0 };
  const { width } = options;
  const shown = rows.slice(0, top);
  const { head, lines, hidden } = layOut(section, shown, options);
  const body = shown.flatMap((row, at) => [
    lines[at]!,
    ...(details?.(row, "text") ?? []).map((line) => fit(`      ${toPlain(line)}`, width)),
  ]);
  const more =
    rows.length > top ? [fit(`… and ${toCount(rows.length - top)} more; --top ${rows.length} shows them`, width)] : [];
  const notes = note === undefined ? [] : [wrap(toPlain(note), width)];
  const heading = title === "" ? "" : toHeading(title, options);
  return { text: heading + [...head, ...body, ...more, ...notes].map((line) => `${line}\n`).join(""), hidden };
}

/** The line above a section. */
function toHeading(title: string, options: TableOptions): string {
  return `${paint(fit(title, options.width), bold, options)}\n`;
}

interface TextColumn {
  readonly column: Column<unknown>;
  readonly cells: readonly string[];
  readonly width: number;
}

/** The line of heads, if there are any, and a line for each row. */
function layOut(section: Section<unknown>, rows: readonly unknown[], options: TableOptions) {
  const { width } = options;
  const short = width === undefined ? width : Math.max(maxColumn, Math.floor(width / 2));
  const columns = columnsOf(section, "text");
  const table = columns
    .filter(({ kind }) => kind !== "bar" || width !== undefined)
    // Bars stand at the end of a line.
    .sort((one, other) => Number(one.kind === "bar") - Number(other.kind === "bar"))
    .map((column): TextColumn => {
      const cells =
        column.kind === "bar" ? toBars(column, rows) : rows.map((row) => fit(toCell(column, row, options), short));
      return { column, cells, width: Math.max(widthOf(column.head), ...cells.map(widthOf)) };
    });
  const [first, ...others] = table;
  if (first === undefined || rows.length === 0) return { head: [], lines: [], hidden: 0 };
  const kept = new Set(others);
  let room = width === undefined ? Number.POSITIVE_INFINITY : width - 2;
  for (const other of others) room -= other.width + 2;
  for (const other of others.toReversed().toSorted((a, b) => rankOf(b) - rankOf(a))) {
    if (room >= Math.min(first.width, rankOf(other) > 0 ? comfortable : least)) break;
    kept.delete(other);
    room += other.width + 2;
  }
  const firstWidth = Math.min(first.width, room);
  const shown = [{ ...first, cells: first.cells.map((cell) => fit(cell, firstWidth)), width: firstWidth }, ...kept];
  const toLine = (textOf: (one: TextColumn) => string, colorOf: (one: TextColumn) => number | undefined): string =>
    `  ${shown
      .map((one, at) => {
        const text = textOf(one);
        const blanks = " ".repeat(Math.max(0, one.width - widthOf(text)));
        const painted = paint(text, colorOf(one), options);
        if (isNumber(one.column)) return blanks + painted;
        return at === shown.length - 1 ? painted : painted + blanks;
      })
      .join("  ")}`.trimEnd();
  return {
    head: columns.some(({ head }) => head !== "")
      ? [
          toLine(
            ({ column, width }) => fit(column.head, width),
            () => faint,
          ),
        ]
      : [],
    lines: rows.map((row, at) =>
      toLine(
        ({ cells }) => cells[at] ?? "",
        ({ column }) => (column.kind === "bar" ? yellow : column.isAlarm?.(row) === true ? red : undefined),
      ),
    ),
    hidden: others.filter((other) => !kept.has(other) && other.column.head !== "").length,
  };
}

function rankOf({ column }: TextColumn): number {
  return column.rank ?? 0;
}

function isNumber({ kind }: Column<unknown>): boolean {
  return kind === "count" || kind === "size" || kind === "share";
}

function toCell(column: Column<unknown>, row: unknown, { width }: TableOptions): string {
  const short = width === undefined ? undefined : column.short?.(row);
  return toPlain(short ?? toValueText(column.kind, column.of(row)));
}

function toBars(column: Column<unknown>, rows: readonly unknown[]): readonly string[] {
  const lengths = rows.map((row) => Number(column.of(row)));
  const longest = Math.max(1, ...lengths);
  return lengths.map((length) => {
    const halves = Math.ceil((2 * barWidth * length) / longest);
    return "█".repeat(halves / 2) + (halves % 2 === 1 ? "▌" : "");
  });
}

function paint(text: string, code: number | undefined, { hasColors = false }: TableOptions): string {
  return hasColors && code !== undefined && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}
