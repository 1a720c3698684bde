/**
 * Lays out tables of text: whole in a pipe; on a terminal as wide as it is, with bars and colors. Columns that do not fit are left out,
 * the least important first; only names and paths are shortened, never a number.
 */
import { toPlain } from "../../text/plain-text.ts";
import { toCount } from "./report-text.ts";

export interface TableOptions {
  /** The terminal's columns; undefined if the output is no terminal. */
  readonly width?: number | undefined;
  /** Whether the terminal shows colors. */
  readonly hasColors?: boolean | undefined;
  /** Rows of each list. Default: by list. */
  readonly top?: number | undefined;
}

const maxColumn = 44;
const barWidth = 12;
/** The first column is not shortened below this for a column that could be left out, and below the second for any other. */
const comfortable = 24;
const least = 12;

/** SGR codes of terminals. */
const bold = 1;
const faint = 2;
export const red = 31;
const yellow = 33;

export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => string;
  /** Where a terminal is narrow, columns of the highest rank are left out first, and of 0 last. The first column stays. */
  readonly rank: number;
  /** Whether it is aligned to the left. */
  readonly isText?: boolean;
  readonly color?: (item: Item) => number | undefined;
}

/** Makes the sections of one output, and the note below them, which is empty if all columns fit. */
export function createSections(options: TableOptions) {
  const { width } = options;
  let isLeftOut = false;

  /** A heading and a table, each column of one width; `lengthOf` gives the lengths of bars. Empty without items. */
  function section<Item>(
    title: string,
    all: readonly Item[],
    shown: number,
    columns: readonly Column<Item>[],
    lengthOf?: (item: Item) => number,
  ): string {
    if (all.length === 0) return "";
    const items = all.slice(0, shown);
    const { text, hidden } = toText(
      width === undefined || lengthOf === undefined ? columns : [...columns, toBars(items, lengthOf)],
      items,
      options,
    );
    if (hidden > 0) isLeftOut = true;
    const head = title === "" ? "" : toHeading(title, options);
    const more =
      all.length > shown
        ? `${fit(`… and ${toCount(all.length - shown)} more; --top ${all.length} shows them`, width)}\n`
        : "";
    return `${head}${text}${more}`;
  }

  const toNote = (): string =>
    isLeftOut ? `${fit("Columns that do not fit are left out; --format json has all.", width)}\n` : "";
  return { section, toNote };
}

/** The line above a section. */
export function toHeading(title: string, options: TableOptions): string {
  return `${paint(fit(title, options.width), bold, options)}\n`;
}

export function textColumn<Item>(head: string, cell: (item: Item) => string, rank = 0): Column<Item> {
  return { head, cell, rank, isText: true };
}

export function countColumn<Item>(head: string, count: (item: Item) => number, rank = 0): Column<Item> {
  return { head, cell: (item) => toCount(count(item)), rank };
}

function toBars<Item>(items: readonly Item[], lengthOf: (item: Item) => number): Column<Item> {
  const longest = Math.max(1, ...items.map(lengthOf));
  const cell = (item: Item): string => {
    const halves = Math.ceil((2 * barWidth * lengthOf(item)) / longest);
    return "█".repeat(halves / 2) + (halves % 2 === 1 ? "▌" : "");
  };
  return { head: "", cell, rank: 9, isText: true, color: () => yellow };
}

/** The heads, if there are any, and a line an item; `hidden` is how many columns but the bars did not fit. */
function toText<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  options: TableOptions,
): { readonly text: string; readonly hidden: number } {
  const { width } = options;
  const hasHeads = columns.some(({ head }) => head !== "");
  const short = width === undefined ? width : Math.max(maxColumn, Math.floor(width / 2));
  const table = columns.map((column) => {
    const cells = items.map((item) => fit(toPlain(column.cell(item)), short));
    return { column, cells, width: Math.max(column.head.length, ...cells.map(widthOf)) };
  });
  const [first, ...others] = table;
  let room = width === undefined ? Number.POSITIVE_INFINITY : width - 2;
  if (first === undefined) return { text: "", hidden: 0 };
  const kept = new Set(others);
  for (const other of others) room -= other.width + 2;
  for (const other of others.toReversed().toSorted((a, b) => b.column.rank - a.column.rank)) {
    if (room >= Math.min(first.width, other.column.rank > 0 ? comfortable : least)) break;
    kept.delete(other);
    room += other.width + 2;
  }
  const firstWidth = Math.min(first.width, room);
  const shown = [{ ...first, cells: first.cells.map((cell) => fit(cell, firstWidth)), width: firstWidth }, ...kept];
  const line = (textOf: (one: (typeof shown)[number]) => string, codeOf: (one: Column<Item>) => number | undefined) =>
    shown
      .map((one, at) => {
        const text = textOf(one);
        const blanks = " ".repeat(Math.max(0, one.width - widthOf(text)));
        const painted = paint(text, codeOf(one.column), options);
        if (one.column.isText !== true) return blanks + painted;
        return at === shown.length - 1 ? painted : painted + blanks;
      })
      .join("  ")
      .trimEnd();
  const lines = items.map((item, at) =>
    line(
      ({ cells }) => cells[at] ?? "",
      ({ color }) => color?.(item),
    ),
  );
  const heads = hasHeads
    ? [
        line(
          ({ column, width }) => fit(column.head, width),
          () => faint,
        ),
      ]
    : [];
  return {
    text: [...heads, ...lines].map((text) => `  ${text}\n`).join(""),
    hidden: others.filter((other) => !kept.has(other) && other.column.head !== "").length,
  };
}

function widthOf(text: string): number {
  return [...text].length;
}

/** A text of at most `width` characters. */
function fit(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, Math.max(0, width - 1)).join("")}…` : text;
}

/** A text in lines of at most `width` characters, if its words are no longer. */
export function wrap(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

function paint(text: string, code: number | undefined, { hasColors = false }: TableOptions): string {
  return hasColors && code !== undefined && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
}
