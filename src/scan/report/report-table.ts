/**
 * A report as text: a first screen, or complete tables. On a terminal, they are fitted to its width, with bars and colors. Columns that do
 * not fit are left out, the least important first; only names and paths are shortened, never a number.
 */
import { fit, widthOf, wrap } from "../../text/columns.ts";
import { toPlain } from "../../text/plain-text.ts";
import { toFilterText } from "./filter-report.ts";
import { toActionText } from "./first-sections.ts";
import { toCount } from "./report-text.ts";
import { type ReportView, toReadText, toWarnings } from "./report-view.ts";
import { type Column, columnsOf, isIn, marks, type Output, type Section, toValueText } from "./section.ts";
import { toSections } from "./sections.ts";

export interface TableOptions {
  /** The terminal's columns; undefined if the output is no terminal. */
  readonly width?: number | undefined;
  /** Whether the terminal shows colors. */
  readonly hasColors?: boolean | undefined;
  /** Whether all sections are shown, in place of the first screen. */
  readonly isFull?: boolean | undefined;
}

interface Layout extends TableOptions {
  readonly output: Output;
  readonly hasBars: boolean;
}

const shortWidth = 100;
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
const colors = { alarm: red, warning: yellow, none: undefined } as const;

/** The lines of the report, including a final line end. */
export function toTable(view: ReportView, options: TableOptions = {}): string {
  const { filter } = view.report;
  const { isFull = false, width: given } = options;
  const width = isFull ? given : Math.min(given ?? shortWidth, shortWidth);
  const layout: Layout = { ...options, width, output: isFull ? "text" : "short", hasBars: given !== undefined };
  const sections = toSections(view);
  const shown = sections
    .filter((section) => isIn(section, layout.output))
    .map((section) =>
      toTextSection(section, layout, section.kind === undefined && section.title !== "" ? view.top : undefined),
    );
  const [lists, tables] = [shown.filter(({ isList }) => isList), shown.filter(({ isList }) => !isList)];
  const summaries = sections.flatMap((one) => (one.rows.length > 0 || one.isShownEmpty ? (one.summary ?? []) : []));
  const lines = (...texts: readonly string[]): string =>
    texts.map((text) => `${wrap(toPlain(text), width)}\n`).join("");
  return [
    lines(toReadText(view.report), ...(filter ? [toFilterText(filter)] : [])),
    ...toWarnings(view.report).map((text) => lines(text)),
    `${toHeading(toActionText(view), layout)}${isFull ? "" : lists.map(({ text }) => text).join("")}`,
    ...(isFull ? shown : tables).map(({ text }) => text),
    shown.some(({ hidden }) => hidden > 0) ? lines("Columns that do not fit are left out; --format json has all.") : "",
    isFull ? "" : lines(...summaries, "--full shows all sections and findings, and --format html writes a page."),
  ]
    .filter((text) => text !== "")
    .join("\n");
}

/** A section, and how many of its columns did not fit; empty without rows. */
function toTextSection(
  section: Section<unknown>,
  layout: Layout,
  given: number | undefined,
): { readonly text: string; readonly hidden: number; readonly isList: boolean } {
  const { kind, title, note, rows, details, isShownEmpty = false } = section;
  const { top: usual = rows.length, topOfShort = usual } = section;
  const isList = kind === "list";
  if (rows.length === 0 && !isShownEmpty) return { text: "", hidden: 0, isList };
  const { width, output } = layout;
  const isShort = output === "short";
  const top = given ?? (isShort ? topOfShort : usual);
  const shown = rows.slice(0, top);
  const { head, lines, hidden } = isList ? toList(section, shown, layout) : layOut(section, shown, layout);
  const body = shown.flatMap((row, at) => [
    lines[at]!,
    ...(details?.(row, output) ?? []).map((line) => fit(`      ${toPlain(line)}`, width)),
  ]);
  const isCut = rows.length > top && !isList;
  const more = isCut ? [fit(`… and ${toCount(rows.length - top)} more; --top ${rows.length} shows them`, width)] : [];
  const notes = note === undefined || isShort ? [] : [wrap(toPlain(note), width)];
  const heading = title === "" || isShort ? "" : toHeading(title, layout);
  return { text: heading + [...head, ...body, ...more, ...notes].map((line) => `${line}\n`).join(""), hidden, isList };
}

/** The line above a section. */
function toHeading(title: string, options: Layout): string {
  return `${wrap(toPlain(title), options.width)
    .split("\n")
    .map((line) => paint(line, bold, options))
    .join("\n")}\n`;
}

/** A line for each row, with a mark before it; in the short text, it is cut. */
function toList(section: Section<unknown>, rows: readonly unknown[], layout: Layout) {
  const { width, output } = layout;
  const column = columnsOf(section, output)[0]!;
  const lines = rows.map((row) => {
    const level = column.levelOf?.(row);
    const text = toPlain(`${level === undefined ? "-" : marks[level]} ${column.of(row)}`);
    return paint(output === "short" ? fit(text, width) : wrap(text, width), level && colors[level], layout);
  });
  return { head: [], lines, hidden: 0 };
}

interface TextColumn {
  readonly column: Column<unknown>;
  readonly cells: readonly string[];
  readonly width: number;
}

/** The line of heads, if there are any, and a line for each row. */
function layOut(section: Section<unknown>, rows: readonly unknown[], options: Layout) {
  const { width, output, hasBars } = options;
  const short = width === undefined ? width : Math.max(maxColumn, Math.floor(width / 2));
  const mostOf = ({ most }: Column<unknown>): number | undefined => (output === "short" && most) || short;
  const columns = columnsOf(section, output);
  const table = columns
    .filter(({ kind }) => kind !== "bar" || hasBars)
    // Bars stand at the end of a line.
    .sort((one, other) => Number(one.kind === "bar") - Number(other.kind === "bar"))
    .map((column): TextColumn => {
      const cells =
        column.kind === "bar"
          ? toBars(column, rows)
          : rows.map((row) => fit(toCell(column, row, options), mostOf(column)));
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
        ({ column }) => (column.kind === "bar" ? yellow : colors[column.levelOf?.(row) ?? "none"]),
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

function toCell(column: Column<unknown>, row: unknown, { hasBars }: Layout): string {
  const short = hasBars ? column.short?.(row) : undefined;
  const level = column.levelOf?.(row);
  return toPlain(
    `${level === undefined ? "" : `${marks[level]} `}${short ?? toValueText(column.kind, column.of(row))}`,
  );
}

function toBars(column: Column<unknown>, rows: readonly unknown[]): readonly string[] {
  const lengths = rows.map((row) => Number(column.of(row)));
  const longest = Math.max(1, ...lengths);
  return lengths.map((length) => {
    const halves = Math.ceil((2 * barWidth * length) / longest);
    return "█".repeat(halves / 2) + (halves % 2 === 1 ? "▌" : "");
  });
}

function paint(text: string, code: number | undefined, { hasColors = false }: Layout): string {
  return hasColors && code !== undefined && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}
