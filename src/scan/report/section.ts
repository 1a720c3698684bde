/** A section of a report as data: rows, and columns that say what is shown of a row. The renderers know kinds of columns, not sections. */

import { toCount, toMinute, toShare, toSize } from "./report-text.ts";

/** The complete text, the page, and the short text, which has fewer sections, rows and columns. */
export type Output = "text" | "html" | "short";

/** A list is shown as some short texts; numbers of `bars` are a bar each. */
export type Value = string | number | readonly string[] | readonly number[] | undefined;

/** What is red, and what is yellow; each has a mark, too. */
export type Level = "alarm" | "warning";

export const marks = { alarm: "▲", warning: "△" } as const satisfies Readonly<Record<Level, string>>;

export interface Column<Row> {
  /** In lowercase. */
  readonly head: string;
  /** `name` is the first column. A `bar` is as long as its part of the longest one, `bars` are a bar each of a row of its own. */
  readonly kind: "name" | "text" | "count" | "size" | "share" | "time" | "codes" | "bar" | "bars";
  of(row: Row): Value;
  /** Where a terminal is narrow, columns of the highest rank are left out first, and of 0 last. */
  readonly rank?: number;
  /** The outputs that have it. Default: the complete ones. */
  readonly in?: readonly Output[];
  /** Its greatest width in the short text. */
  readonly most?: number;
  /** The value on a terminal, where there is less room. */
  short?(row: Row): string;
  /** Where the name leads to, and what stands small beside and below the value: in HTML. */
  link?(row: Row): string | undefined;
  beside?(row: Row): readonly (readonly [text: string, level?: Level])[];
  below?(row: Row): string | undefined;
  levelOf?(row: Row): Level | undefined;
}

export interface Section<Row> {
  /** What findings and contents link to. */
  readonly id: string;
  readonly title: string;
  /** A `list` has one column, and marks for levels. Default: a table. */
  readonly kind?: "tiles" | "list" | "chart";
  readonly note?: string | undefined;
  readonly rows: readonly Row[];
  /** False stands for a column that is left out. */
  readonly columns: readonly (Column<Row> | false)[];
  /** How many rows are shown by default, and in the short text; absent: all. */
  readonly top?: number;
  readonly topOfShort?: number;
  /** The details of a row, one per line; `detailsName` is what they are, such as `paths`. */
  details?(row: Row, output: Output): readonly string[];
  readonly detailsName?: string;
  /** Whether it is shown even without rows, because that is also a result. */
  readonly isShownEmpty?: boolean;
  /** Whether the page shows it open. */
  readonly isOpen?: boolean;
  /** The outputs that have it. Default: the complete ones. */
  readonly in?: readonly Output[];
  /** The line that stands for it in the short text. */
  readonly summary?: string | undefined;
}

/** The columns of a section that are in an output. */
export function columnsOf<Row>({ columns }: Section<Row>, output: Output): readonly Column<Row>[] {
  return columns.filter((column) => column !== false).filter((column) => isIn(column, output));
}

const complete: readonly Output[] = ["text", "html"];

/** Whether a column or section is in an output. */
export function isIn(one: { readonly in?: readonly Output[] }, output: Output): boolean {
  return (one.in ?? complete).includes(output);
}

/** Makes the function that makes columns of a kind. */
function createColumn<Given extends Value = Value>(kind: Column<never>["kind"]) {
  return <Row>(head: string, of: (row: Row) => Given, rank = 0): Column<Row> => ({ head, kind, of, rank });
}

export const text = createColumn("text");
export const count = createColumn("count");
export const size = createColumn("size");
/** A part of 1. */
export const share = createColumn("share");
/** An ISO time. */
export const time = createColumn("time");
export const codes = createColumn<readonly string[]>("codes");
export const name = createColumn<string>("name");
/** Shown by HTML and on terminals. */
export const bar = <Row>(of: (row: Row) => number): Column<Row> => createColumn("bar")("", of, 9);

/** For columns and sections in each output. */
export const everywhere: readonly Output[] = ["text", "html", "short"];

/** A value as people read it; empty for bars. */
export function toValueText(kind: Column<never>["kind"], value: Value): string {
  if (value === undefined) return kind === "share" ? "–" : "";
  if (kind === "bar" || kind === "bars") return "";
  if (typeof value === "object") return value.join(", ");
  if (typeof value === "string") return kind === "time" ? toMinute(value) : value;
  if (kind === "share") return Number.isFinite(value) ? toShare(value, 1) : "–";
  return kind === "size" ? toSize(value) : toCount(value);
}
