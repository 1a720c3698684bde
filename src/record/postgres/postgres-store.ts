/**
 * The record in a PostgreSQL database, shared by any number of instances. Each locks rows in the order of their digests,
 * and tidying skips rows that others hold, so that no two instances wait for each other in a circle.
 */
import { randomUUID } from "node:crypto";
import {
  type Dialect,
  selectCount,
  selectNewCrawlers,
  selectPage,
  selectScanEnd,
  toDigest,
  toNewCrawler,
  toPage,
  toRecorded,
  toTrafficCount,
} from "../sql-queries.ts";
import { type Batch, countedRows, isFiltered, type RecordQuery, type Retention, type Store } from "../store.ts";
import { toFoldedColumn, toStored } from "../stored-text.ts";
import { foldTraffic, type TrafficCount } from "../traffic.ts";
import { type Ask, createConnections } from "./postgres-connections.ts";
import { openTables } from "./postgres-schema.ts";

interface PostgresOptions {
  readonly url: string;
  /** How long a statement may take before its connection is given up. 10 s when absent. */
  readonly timeoutMs?: number;
}

/** Most rows to remove in one statement, so that a lowered limit does not run into the timeout. */
const removedRows = 20_000;

const dialect: Dialect = {
  table: "whocrawls_strings",
  key: "digest",
  positionOf: "strpos",
  parameter: (n) => `$${n}`,
};

/** Creates a store in the PostgreSQL (12 or later) database at `url`. Connects when it is first used. */
export function createPostgresStore({ url, timeoutMs = 10_000 }: PostgresOptions): Store {
  const writer = randomUUID();
  // Apart, so that writing never waits for lists.
  const writing = createConnections(url, timeoutMs, 1);
  const reading = createConnections(url, timeoutMs, 2);
  const count = async (query: RecordQuery) => Number((await reading.all(selectCount(dialect, query)))[0]?.n);

  return {
    batchRows: 1000,
    open: () => openTables(writing),
    write: (batch) => writing.transaction((ask) => write(ask, writer, batch)),
    tidy: (retention) => writing.transaction((ask) => tidy(ask, retention)),

    async page(query, start, most) {
      if (query.order)
        return { rows: (await reading.all(selectPage(dialect, query, start, undefined, most))).map(toRecorded) };
      const [end] = isFiltered(query) ? await reading.all(selectScanEnd(dialect, start)) : [];
      return toPage(dialect, await reading.all(selectPage(dialect, query, start, end, most)), end, most);
    },

    async count(query) {
      const total = await count({});
      if (!isFiltered(query)) return total;
      return total > countedRows ? undefined : count(query);
    },

    async newCrawlers(since) {
      return (await reading.all(selectNewCrawlers(dialect, since))).map(toNewCrawler);
    },

    async traffic(since, until) {
      const sql = "SELECT * FROM whocrawls_traffic WHERE hour >= $1 AND hour < $2";
      return (await reading.all({ sql, values: [since, until] })).map(toTrafficCount);
    },

    async close() {
      await Promise.all([writing.end(), reading.end()]);
    },
  };
}

const markBatch = `
  INSERT INTO whocrawls_writers AS w (writer, batch, at) VALUES ($1, $2, now())
  ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE w.batch < excluded.batch`;

const upsert = `
  INSERT INTO whocrawls_strings AS s
    (digest, useragent, folded, truncated, crawler, name, operator, category, count, first_seen, last_seen)
  SELECT decode(digest, 'hex'), useragent, folded, coalesce(cut, false), crawler, name, operator, category, count,
    "firstSeen", "lastSeen"
  FROM json_to_recordset($1::json) AS batch (digest text, useragent text, folded text, cut boolean,
    crawler boolean, name text, operator text, category text, count bigint, "firstSeen" bigint, "lastSeen" bigint)
  ORDER BY digest COLLATE "C"
  ON CONFLICT (digest) DO UPDATE SET truncated = s.truncated OR excluded.truncated, crawler = excluded.crawler,
    folded = excluded.folded, name = excluded.name, operator = excluded.operator, category = excluded.category,
    count = s.count + excluded.count, first_seen = least(s.first_seen, excluded.first_seen),
    last_seen = greatest(s.last_seen, excluded.last_seen)`;

async function write(ask: Ask, writer: string, { id, rows, traffic }: Batch): Promise<void> {
  // None is marked where the batch was written before and only the answer was lost. While that transaction still runs,
  // this waits for it.
  const marked = await ask(markBatch, [writer, id]);
  if (marked.rowCount === 0) return;
  const values = rows.map((row) => {
    const useragent = toStored(row.useragent);
    const digest = toDigest(useragent).toString("hex");
    return { ...row, useragent, digest, folded: toFoldedColumn(row.useragent), name: row.name && toStored(row.name) };
  });
  await ask(upsert, [JSON.stringify(values)]);
  await addTraffic(ask, traffic);
}

async function addTraffic(ask: Ask, traffic: readonly TrafficCount[]): Promise<void> {
  const values = traffic.map((each) => ({ ...each, value: toStored(each.value) }));
  await ask(
    `INSERT INTO whocrawls_traffic AS t
     SELECT * FROM json_to_recordset($1::json) AS batch (hour bigint, dimension text, value text, count bigint)
     ORDER BY hour, dimension COLLATE "C", value COLLATE "C"
     ON CONFLICT (hour, dimension, value) DO UPDATE SET count = t.count + excluded.count`,
    [JSON.stringify(values)],
  );
}

async function tidy(ask: Ask, { limit, before = 0, ...traffic }: Retention): Promise<number> {
  const remove = async (which: string, value: number) => {
    const digests = `SELECT digest FROM whocrawls_strings ${which} LIMIT ${removedRows} FOR UPDATE SKIP LOCKED`;
    const { rowCount } = await ask(`DELETE FROM whocrawls_strings WHERE digest IN (${digests})`, [value]);
    return rowCount ?? 0;
  };
  await ask("DELETE FROM whocrawls_writers WHERE at < now() - interval '1 day'");
  await remove("WHERE last_seen < $1", before);
  const evicted = await remove("ORDER BY last_seen DESC, digest DESC OFFSET $1", limit);
  // Others add to rows of this table last in their transactions, so no transaction that holds these rows waits for this one.
  await ask("LOCK TABLE whocrawls_traffic IN SHARE ROW EXCLUSIVE MODE");
  await ask("DELETE FROM whocrawls_traffic WHERE hour < $1", [traffic.trafficBefore]);
  const open = await ask("DELETE FROM whocrawls_traffic WHERE hour >= $1 RETURNING *", [traffic.trafficOpen]);
  await addTraffic(ask, foldTraffic(open.rows.map(toTrafficCount)));
  return evicted;
}
