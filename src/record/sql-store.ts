/** The record in SQL: one set of statements for SQLite and PostgreSQL. tables.ts has the tables, the drivers what differs. */
import { hash, randomUUID } from "node:crypto";
import type { Category } from "../detect/categories.ts";
import type { Ask, Driver, Row, Value } from "./sql-driver.ts";
import {
  countedRows,
  isFiltered,
  newCrawlersLimit,
  type Page,
  type PageStart,
  type RecordedString,
  type RecordQuery,
  type Store,
  scannedRows,
} from "./store.ts";
import { toFolded, toFoldedColumn } from "./stored-text.ts";
import { openTables } from "./tables.ts";
import type { TrafficCount, TrafficDimension } from "./traffic.ts";

/** Most rows to remove in one statement, so that applying a lower limit does not time out. */
const removedRows = 20_000;
/** How many strings are removed at a time while the database is full. */
const leavingRows = 250;
const dayMs = 86_400_000;

const markBatch = `INSERT INTO whocrawls_writers AS w VALUES ($1, $2, $3)
  ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE w.batch < excluded.batch`;

/** A statement that adds rows to those that are there; the first `keys` columns are the key. */
interface Addition {
  readonly insert: string;
  readonly keys: number;
  readonly update: string;
}

const addStrings: Addition = {
  insert: "INSERT INTO whocrawls_strings AS s VALUES",
  keys: 1,
  update: `ON CONFLICT (digest) DO UPDATE SET crawler = excluded.crawler, folded = excluded.folded, name = excluded.name,
    operator = excluded.operator, category = excluded.category, count = s.count + excluded.count,
    truncated = CASE WHEN s.truncated > excluded.truncated THEN s.truncated ELSE excluded.truncated END,
    first_seen = CASE WHEN s.first_seen < excluded.first_seen THEN s.first_seen ELSE excluded.first_seen END,
    last_seen = CASE WHEN s.last_seen > excluded.last_seen THEN s.last_seen ELSE excluded.last_seen END`,
};
const addTraffic: Addition = {
  insert: "INSERT INTO whocrawls_traffic AS t VALUES",
  keys: 3,
  update: "ON CONFLICT (hour, dimension, value) DO UPDATE SET count = t.count + excluded.count",
};

/** The counts of crawlers with an entry; the value "" has all others. */
const isNamed = "dimension = 'name' AND value <> ''";

/** Creates the store in a driver's database. */
export function createSqlStore(driver: Driver): Store {
  const writer = randomUUID();

  /** Adds rows in the order of their keys: instances that write at the same time cannot deadlock. */
  async function add(ask: Ask, { insert, keys, update }: Addition, rows: readonly (readonly Value[])[]) {
    const keyed = rows.map((values) => ({ values, key: values.slice(0, keys).join(" ") }));
    const sorted = keyed.sort((one, other) => (one.key < other.key ? -1 : 1));
    for (let at = 0; at < sorted.length; at += driver.insertRows) {
      const part = sorted.slice(at, at + driver.insertRows);
      let parameters = 0;
      const tuples = part.map(({ values }) => `(${values.map(() => `$${++parameters}`)})`);
      await ask(
        `${insert} ${tuples} ${update}`,
        part.flatMap(({ values }) => values),
      );
    }
  }

  async function remove(ask: Ask, which: string, ...values: readonly Value[]): Promise<number> {
    const digests = `SELECT digest FROM whocrawls_strings ${which} ${driver.skipLocked}`;
    return (await ask(`DELETE FROM whocrawls_strings WHERE digest IN (${digests})`, values)).changes;
  }

  async function count(query: RecordQuery): Promise<number> {
    const values: Value[] = [];
    const { rows } = await driver.read(
      `SELECT count(*) AS n FROM whocrawls_strings ${toWhere(query, 0, undefined, values)}`,
      values,
    );
    return Number(rows[0]?.n);
  }

  return {
    async open() {
      await driver.connect();
      await driver.transaction((ask) => openTables(driver, ask));
    },

    write: ({ id, rows, traffic }) =>
      driver.transaction(async (ask) => {
        // No row changes if the batch was written before and only the response was lost. While that transaction is still running, this
        // waits for it.
        if ((await ask(markBatch, [writer, id, Date.now()])).changes === 0) return;
        await add(ask, addStrings, rows.map(toValues));
        await add(ask, addTraffic, traffic.map(toTrafficValues));
        while (await driver.isFull?.(ask))
          if ((await remove(ask, "ORDER BY last_seen, digest LIMIT $1", leavingRows)) === 0) break;
      }),

    tidy: ({ limit, before = 0, trafficBefore }) =>
      driver.transaction(async (ask) => {
        await ask("DELETE FROM whocrawls_writers WHERE at < $1", [Date.now() - dayMs]);
        await ask("DELETE FROM whocrawls_traffic WHERE hour < $1", [trafficBefore]);
        await remove(ask, "WHERE last_seen < $1 LIMIT $2", before, removedRows);
        return remove(ask, "ORDER BY last_seen DESC, digest DESC LIMIT $1 OFFSET $2", removedRows, limit);
      }),

    async page(query, start, most) {
      const end = isFiltered(query) && query.order === undefined ? await findScanEnd(driver, start) : undefined;
      const { rows } = await driver.read(...toSelect(query, start, end, most));
      return toPage(rows, rows.length === most ? rows.at(-1) : end, query);
    },

    async count(query) {
      const total = await count({});
      if (!isFiltered(query)) return total;
      return total > countedRows ? undefined : count(query);
    },

    async newCrawlers(since) {
      const { rows } = await driver.read(
        `SELECT name, max(category) AS category, sum(count) AS count, min(first_seen) AS first_seen FROM whocrawls_strings
         WHERE crawler = 1 AND name IS NOT NULL GROUP BY name HAVING min(first_seen) >= $1
         ORDER BY min(first_seen) DESC, name LIMIT ${newCrawlersLimit}`,
        [since],
      );
      return rows.map(({ name, category, count, first_seen }) => ({
        name: String(name),
        category: category as Category,
        count: Number(count),
        firstSeen: Number(first_seen),
      }));
    },

    async traffic(since, until) {
      const sql = `SELECT CASE WHEN dimension = 'crawler' THEN hour ELSE CAST($1 AS bigint) END AS hour,
        dimension, value, sum(count) AS count
        FROM whocrawls_traffic WHERE hour >= $2 AND hour < $3 GROUP BY 1, dimension, value`;
      return (await driver.read(sql, [since, since, until])).rows.map(toTrafficCount);
    },

    async firstHour(since) {
      const { rows } = await driver.read("SELECT min(hour) AS hour FROM whocrawls_traffic WHERE hour >= $1", [since]);
      return rows[0]?.hour == null ? undefined : Number(rows[0].hour);
    },

    async sightings(since) {
      const { rows } = await driver.read(
        `SELECT value, sum(count) AS count, max(hour) AS hour FROM whocrawls_traffic
         WHERE hour >= $1 AND ${isNamed} GROUP BY value ORDER BY value`,
        [since],
      );
      return rows.map(({ value, count, hour }) => ({
        name: String(value),
        count: Number(count),
        lastHour: Number(hour),
      }));
    },

    async hoursOf(name, since) {
      const { rows } = await driver.read(
        `SELECT hour, count FROM whocrawls_traffic WHERE hour >= $1 AND ${isNamed} AND value = $2 ORDER BY hour`,
        [since, name],
      );
      return rows.map(({ hour, count }) => ({ hour: Number(hour), crawlers: Number(count), people: 0 }));
    },

    async spikes({ since, until, requests, factor, beforeMs }) {
      const before = `ORDER BY hour RANGE BETWEEN ${beforeMs} PRECEDING AND 1 PRECEDING`;
      const { rows } = await driver.read(
        `SELECT value, hour, count, before FROM (
           SELECT value, hour, count, coalesce(max(count) OVER (PARTITION BY value ${before}), 0) AS before
           FROM whocrawls_traffic WHERE hour >= $1 AND hour <= $2 AND ${isNamed}) AS hours
         WHERE hour >= $3 AND count >= $4 AND count >= $5 * before ORDER BY count DESC, value, hour`,
        [since - beforeMs, until, since, requests, factor],
      );
      return rows.map(({ value, hour, count, before }) => ({
        name: String(value),
        hour: Number(hour),
        requests: Number(count),
        before: Number(before),
      }));
    },

    close: () => driver.close(),
  };
}

/** Sixteen bytes of SHA-256 identify a string; with a weaker hash, an attacker could make two strings share one row. */
function toDigest(useragent: string): string {
  return hash("sha256", useragent, "hex").slice(0, 32);
}

function toValues(row: RecordedString): Value[] {
  const { useragent, cut, crawler, name = null, operator = null, category = null, count, firstSeen, lastSeen } = row;
  const facts = [Number(cut ?? false), Number(crawler), name, operator, category];
  return [toDigest(useragent), useragent, toFoldedColumn(useragent), ...facts, count, firstSeen, lastSeen];
}

function toTrafficValues({ hour, dimension, value, count }: TrafficCount): Value[] {
  return [hour, dimension, value, count];
}

function toTrafficCount({ hour, dimension, value, count }: Row): TrafficCount {
  return { hour: Number(hour), dimension: dimension as TrafficDimension, value: String(value), count: Number(count) };
}

/** The last row that a page with a filter may look at; undefined if the page may look at all that are left. */
async function findScanEnd(driver: Driver, start: PageStart): Promise<Row | undefined> {
  const values: Value[] = [];
  const where = toWhere({}, start, undefined, values);
  const order = `ORDER BY last_seen DESC, digest DESC LIMIT 1 OFFSET ${scannedRows - 1}`;
  return (await driver.read(`SELECT last_seen, digest FROM whocrawls_strings ${where} ${order}`, values)).rows[0];
}

const orders = { "last-seen": "last_seen", count: "count", "first-seen": "first_seen" } as const;

/** Selects up to `most` rows from `start` on, but none after `end`. */
function toSelect(query: RecordQuery, start: PageStart, end: Row | undefined, most: number): [string, Value[]] {
  const values: Value[] = [];
  const where = toWhere(query, start, end, values);
  const order = orders[query.order ?? "last-seen"];
  const limit = values.push(most, typeof start === "number" ? start : 0);
  const bounds = `LIMIT $${limit - 1} OFFSET $${limit}`;
  return [`SELECT * FROM whocrawls_strings ${where} ORDER BY ${order} DESC, digest DESC ${bounds}`, values];
}

function toWhere(
  { q = "", category, crawler }: RecordQuery,
  start: PageStart,
  end: Row | undefined,
  values: Value[],
): string {
  const bind = (value: unknown): string => `$${values.push(value as Value)}`;
  const terms: string[] = [];
  if (typeof start !== "number") {
    const [lastSeen, digest] = start.cursor as readonly [Value, Value];
    terms.push(`(last_seen, digest) < (${bind(lastSeen)}, ${bind(digest)})`);
  }
  if (end) terms.push(`(last_seen, digest) >= (${bind(end.last_seen)}, ${bind(end.digest)})`);
  // Not LIKE, which in SQLite takes 150 times as long for a long substring that almost matches everywhere.
  if (q !== "") {
    const folded = "coalesce(folded, lower(useragent))";
    terms.push(`replace(${folded}, ${bind(toFolded(q))}, '') <> ${folded}`);
  }
  if (category !== undefined) terms.push(`category = ${bind(category)}`);
  if (crawler !== undefined) terms.push(`crawler = ${bind(crawler ? 1 : 0)}`);
  return terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
}

/** The page of these rows; `last` is the row after which the next one begins. */
function toPage(rows: readonly Row[], last: Row | undefined, { order }: RecordQuery): Page {
  const recorded = rows.map(toRecorded);
  if (last === undefined || order !== undefined) return { rows: recorded };
  return { rows: recorded, next: { cursor: [last.last_seen, last.digest] } };
}

function toRecorded(row: Row): RecordedString {
  const { name, operator, category } = row;
  return {
    useragent: String(row.useragent),
    ...(row.truncated === 1 && { cut: true as const }),
    crawler: row.crawler === 1,
    ...(name !== null && { name: String(name) }),
    ...(operator !== null && { operator: String(operator) }),
    ...(category !== null && { category: category as Category }),
    count: Number(row.count),
    firstSeen: Number(row.first_seen),
    lastSeen: Number(row.last_seen),
  };
}
