/** A section of a report as data: rows, and columns that say what is shown of a row. The renderers know kinds of columns, not sections. */

import { toCount, toMinute, toShare, toSize } from "./report-text.ts";

export type Output = "text" | "html";

/** A list is shown as some short texts; numbers of `bars` are a bar each. */
export type Value = string | number | readonly string[] | readonly number[] | undefined;

export interface Column<Row> {
  /** In lowercase. */
  readonly head: string;
  /** `name` is the first column. A `bar` is as long as its part of the longest one, `bars` are a bar each of a row of its own. */
  readonly kind: "name" | "text" | "count" | "size" | "share" | "time" | "codes" | "bar" | "bars";
  of(row: Row): Value;
  /** Where a terminal is narrow, columns of the highest rank are left out first, and of 0 last. */
  readonly rank?: number;
  /** Present if it is only in this output. */
  readonly only?: Output;
  /** The value on a terminal, where there is less room. */
  short?(row: Row): string;
  /** Where the name leads to, and what stands small below the value: in HTML. */
  link?(row: Row): string | undefined;
  below?(row: Row): string | undefined;
  isAlarm?(row: Row): boolean;
}

export interface Section<Row> {
  /** What findings and contents link to. */
  readonly id: string;
  readonly title: string;
  readonly note?: string | undefined;
  readonly rows: readonly Row[];
  /** False stands for a column that is left out. */
  readonly columns: readonly (Column<Row> | false)[];
  /** How many rows are shown by default; absent: all. */
  readonly top?: number;
  /** The details of a row, one per line; `detailsName` is what each of them is, such as `path`. */
  details?(row: Row, output: Output): readonly string[];
  readonly detailsName?: string;
  /** Whether it is shown even without rows, because that is also a result. */
  readonly isShownEmpty?: boolean;
  /** Whether the page shows it open. */
  readonly isOpen?: boolean;
  readonly only?: Output;
}

/** The columns of a section that are in an output. */
export function columnsOf<Row>({ columns }: Section<Row>, output: Output): readonly Column<Row>[] {
  return columns.filter((column) => column !== false).filter((column) => isIn(column, output));
}

/** Whether a column or section is in an output. */
export function isIn({ only }: { readonly only?: Output }, output: Output): boolean {
  return only === undefined || only === output;
}

export const text = <Row>(head: string, of: (row: Row) => Value, rank = 0): Column<Row> => ({
  head,
  kind: "text",
  of,
  rank,
});
export const count = <Row>(head: string, of: (row: Row) => Value, rank = 0): Column<Row> => ({
  ...text(head, of, rank),
  kind: "count",
});
export const size = <Row>(head: string, of: (row: Row) => Value, rank = 0): Column<Row> => ({
  ...text(head, of, rank),
  kind: "size",
});
/** A part of 1. */
export const share = <Row>(head: string, of: (row: Row) => Value, rank = 0): Column<Row> => ({
  ...text(head, of, rank),
  kind: "share",
});
/** An ISO time. */
export const time = <Row>(head: string, of: (row: Row) => Value, rank = 0): Column<Row> => ({
  ...text(head, of, rank),
  kind: "time",
});
export const codes = <Row>(head: string, of: (row: Row) => readonly string[], rank = 0): Column<Row> => ({
  ...text(head, of, rank),
  kind: "codes",
});
export const name = <Row>(head: string, of: (row: Row) => string): Column<Row> => ({
  ...text(head, of),
  kind: "name",
});
/** Shown by HTML and on terminals. */
export const bar = <Row>(of: (row: Row) => number): Column<Row> => ({ ...text("", of, 9), kind: "bar" });

/** A value as people read it; empty for bars. */
export function toValueText(kind: Column<never>["kind"], value: Value): string {
  if (value === undefined) return kind === "share" ? "–" : "";
  if (kind === "bar" || kind === "bars") return "";
  if (typeof value === "object") return value.join(", ");
  if (typeof value === "string") return kind === "time" ? toMinute(value) : value;
  if (kind === "share") return Number.isFinite(value) ? toShare(value, 1) : "–";
  return kind === "size" ? toSize(value) : toCount(value);
}
