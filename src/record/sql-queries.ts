/** What the SQL stores have in common: the key of a string, the statements that list and count, and mapping rows. */
import { hash } from "node:crypto";
import type { Category } from "../detect/categories.ts";
import type { RecordedFact } from "../detect/facts.ts";
import {
  type NewCrawler,
  newCrawlersLimit,
  type Page,
  type PageStart,
  type RecordedString,
  type RecordQuery,
  scannedRows,
} from "./store.ts";
import { fromStored, toFolded } from "./stored-text.ts";
import type { TrafficCount, TrafficDimension } from "./traffic.ts";

/**
 * Sixteen bytes that identify a stored form. Databases index these instead of the string: 2 KiB do not fit in a
 * PostgreSQL index, and a hash without cryptography would let an attacker make two strings share one row.
 */
export function toDigest(stored: string): Buffer {
  return Buffer.from(hash("sha256", stored, "hex").slice(0, 32), "hex");
}

/** How a database's table and SQL differ from another's. */
export interface Dialect {
  readonly table: string;
  /** The column that puts strings with equal `last_seen` in order. */
  readonly key: string;
  /** The function that returns the position of a part in a text, or 0. */
  readonly positionOf: string;
  /** How the n-th parameter is written. */
  readonly parameter: (n: number) => string;
}

type Value = string | number | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** `last_seen` and key of the row after which a page begins. */
type Cursor = readonly [lastSeen: Value, key: Value];

/** Selects the last row that a page with a filter may look at; no row where the page may look at all that are left. */
export function selectScanEnd(dialect: Dialect, start: PageStart): Statement {
  const { key, table, parameter } = dialect;
  const values: Value[] = [];
  const where = toWhere(dialect, {}, start, undefined, values);
  const limit = parameter(values.push(scannedRows - 1));
  const sql = `SELECT last_seen, ${key} FROM ${table} ${where} ORDER BY last_seen DESC, ${key} DESC LIMIT 1 OFFSET ${limit}`;
  return { sql, values };
}

/** Selects up to `most` rows from `start` on, but none after `end`. */
export function selectPage(
  dialect: Dialect,
  query: RecordQuery,
  start: PageStart,
  end: Row | undefined,
  most: number,
): Statement {
  const { key, table, parameter } = dialect;
  const values: Value[] = [];
  const where = toWhere(dialect, query, start, end, values);
  const limit = parameter(values.push(most));
  const offset = parameter(values.push(typeof start === "number" ? start : 0));
  const order = { "last-seen": "last_seen", count: "count", "first-seen": "first_seen" }[query.order ?? "last-seen"];
  const sql = `SELECT * FROM ${table} ${where} ORDER BY ${order} DESC, ${key} DESC LIMIT ${limit} OFFSET ${offset}`;
  return { sql, values };
}

/** Counts the rows that match, as `n`. */
export function selectCount(dialect: Dialect, query: RecordQuery): Statement {
  const values: Value[] = [];
  return { sql: `SELECT count(*) AS n FROM ${dialect.table} ${toWhere(dialect, query, 0, undefined, values)}`, values };
}

/** Selects the crawlers none of whose strings was seen before `since`. */
export function selectNewCrawlers({ table, parameter }: Dialect, since: number): Statement {
  const sql = `SELECT name, max(category) AS category, sum(count) AS count, min(first_seen) AS first_seen FROM ${table}
    WHERE crawler = ${parameter(1)} AND name IS NOT NULL GROUP BY name HAVING min(first_seen) >= ${parameter(2)}
    ORDER BY min(first_seen) DESC, name LIMIT ${parameter(3)}`;
  return { sql, values: [1, since, newCrawlersLimit] };
}

/** The row as the new crawler that it is. */
export function toNewCrawler(row: Row): NewCrawler {
  const { category, count, first_seen: firstSeen } = row;
  const name = fromStored(String(row.name));
  return { name, category: category as Category, count: Number(count), firstSeen: Number(firstSeen) };
}

/** The page of these rows, and where the next begins. */
export function toPage({ key }: Dialect, rows: readonly Row[], end: Row | undefined, most: number): Page {
  const last = rows.length === most ? rows.at(-1) : end;
  const recorded = rows.map(toRecorded);
  return last ? { rows: recorded, next: { cursor: [last.last_seen, last[key]] } } : { rows: recorded };
}

function toWhere(
  { key, positionOf, parameter }: Dialect,
  { q = "", category, crawler }: RecordQuery,
  start: PageStart,
  end: Row | undefined,
  values: Value[],
): string {
  const terms: string[] = [];
  const bind = (value: unknown) => parameter(values.push(value as Value));
  if (typeof start !== "number") {
    const [lastSeen, at] = start.cursor as Cursor;
    terms.push(`(last_seen, ${key}) < (${bind(lastSeen)}, ${bind(at)})`);
  }
  if (end) terms.push(`(last_seen, ${key}) >= (${bind(end.last_seen)}, ${bind(end[key])})`);
  if (q !== "") terms.push(`${positionOf}(coalesce(folded, lower(useragent)), ${bind(toFolded(q))}) > 0`);
  if (category !== undefined) terms.push(`category = ${bind(category)}`);
  if (crawler !== undefined) terms.push(`crawler = ${bind(crawler ? 1 : 0)}`);
  return terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
}

/** The row of the traffic table as the count it is. */
export function toTrafficCount(row: Row): TrafficCount {
  return {
    hour: Number(row.hour),
    dimension: row.dimension as TrafficDimension,
    value: fromStored(String(row.value)),
    count: Number(row.count),
  };
}

/** The row as the string it records. Numbers and booleans come as each database's driver has them. */
export function toRecorded(row: Row): RecordedString {
  return {
    useragent: fromStored(String(row.useragent)),
    ...(row.truncated ? { cut: true as const } : undefined),
    crawler: Boolean(row.crawler),
    ...(row.name !== null && { name: fromStored(String(row.name)) }),
    ...toRecordedFacts(row),
    count: Number(row.count),
    firstSeen: Number(row.first_seen),
    lastSeen: Number(row.last_seen),
  };
}

/** Each recorded fact has a column of its name. */
function toRecordedFacts({ operator, category }: Row): Pick<RecordedString, RecordedFact> {
  const columns: Readonly<Record<RecordedFact, unknown>> = { operator, category };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null));
}
