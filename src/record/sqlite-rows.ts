/** Rows of the SQLite record as recorded strings, and what a list asks for as SQL. */
import type { Category } from "../catalogue/entry.ts";
import type { ListQuery, RecordedString } from "./store.ts";
import { fromStored, toLowerAscii, toStored } from "./text.ts";

/** A row of `strings`. */
export interface Row {
  readonly [column: string]: string | number | null;
}

/** The query as SQL terms, to be joined by AND, and the values of their parameters. */
export function toFilter({ q, category, crawler }: ListQuery): { terms: string[]; values: (string | number)[] } {
  const terms: string[] = [];
  const values: (string | number)[] = [];
  if (q) {
    terms.push("instr(lower(useragent), ?) > 0");
    values.push(toLowerAscii(toStored(q)));
  }
  if (category !== undefined) {
    terms.push("category = ?");
    values.push(category);
  }
  if (crawler !== undefined) {
    terms.push("crawler = ?");
    values.push(crawler ? 1 : 0);
  }
  return { terms, values };
}

/** The row as the string it records. */
export function toRecorded(row: Row): RecordedString {
  return {
    useragent: fromStored(String(row.useragent)),
    ...(row.cut === 1 && { cut: true as const }),
    crawler: row.crawler === 1,
    ...(row.name !== null && { name: fromStored(String(row.name)) }),
    ...(row.operator !== null && { operator: String(row.operator) }),
    ...(row.category !== null && { category: row.category as Category }),
    count: Number(row.count),
    firstSeen: Number(row.first_seen),
    lastSeen: Number(row.last_seen),
  };
}
