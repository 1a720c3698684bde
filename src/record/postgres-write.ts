/**
 * Writing to the PostgreSQL record. Every instance locks rows in the order of their digests and the total after them,
 * and eviction skips rows that others hold, so that no two instances wait for each other in a circle.
 */
import type { Query } from "./postgres-connections.ts";
import { type RecordedString, type Retention, StoreError } from "./store.ts";
import { toDigest, toStored } from "./text.ts";

/** Most rows to remove in one statement, so that a lowered limit does not run into the timeout. */
const evictRows = 20_000;

const upsert = `
  WITH written AS (
    INSERT INTO whocrawls_strings AS s
      (digest, useragent, cut, crawler, name, operator, category, count, first_seen, last_seen)
    SELECT decode(digest, 'hex'), useragent, cut, crawler, name, operator, category, count, "firstSeen", "lastSeen"
    FROM json_to_recordset($1::json) AS batch (digest text, useragent text, cut boolean, crawler boolean,
      name text, operator text, category text, count bigint, "firstSeen" bigint, "lastSeen" bigint)
    ORDER BY digest COLLATE "C"
    ON CONFLICT (digest) DO UPDATE SET cut = s.cut OR excluded.cut, crawler = excluded.crawler,
      name = excluded.name, operator = excluded.operator, category = excluded.category,
      count = s.count + excluded.count, first_seen = least(s.first_seen, excluded.first_seen),
      last_seen = greatest(s.last_seen, excluded.last_seen)
    -- A row that was inserted, not updated, has never been locked by a transaction.
    RETURNING s.xmax = 0 AS inserted
  )
  SELECT (count(*) FILTER (WHERE inserted))::integer AS inserted, (SELECT total FROM whocrawls_meta) AS total,
    txid_current()::text AS xid FROM written`;

/** Adds the rows' counts and evicts the excess, inside a transaction, whose id it resolves to. */
export async function writeBatch(
  query: Query,
  rows: readonly RecordedString[],
  limit: number,
): Promise<{ xid: string; evicted: number }> {
  const batch = rows.map((row) => {
    const useragent = toStored(row.useragent);
    const name = row.name && toStored(row.name);
    return { ...row, useragent, name, cut: row.cut ?? false, digest: toDigest(useragent).toString("hex") };
  });
  const written = await query<{ inserted: number; total: string; xid: string }>(upsert, [JSON.stringify(batch)]);
  const done = written.rows[0];
  if (!done?.total) throw new StoreError("the table whocrawls_meta is empty");
  // The total's lock makes instances wait for each other; a batch of known strings does without.
  if (done.inserted > 0 || Number(done.total) > limit) {
    const meta = await query<{ total: string }>("UPDATE whocrawls_meta SET total = total + $1 RETURNING total", [
      done.inserted,
    ]);
    return { xid: done.xid, evicted: await evict(query, Number(meta.rows[0]?.total), limit) };
  }
  return { xid: done.xid, evicted: 0 };
}

/** Removes what is too old or too much, and counts afresh, inside a transaction. */
export async function tidy(query: Query, { limit, before = 0 }: Retention): Promise<void> {
  // Whoever commits new rows has held this lock, so the count made after it is exact, whatever others are inserting.
  await query("SELECT total FROM whocrawls_meta FOR UPDATE");
  await query(
    `DELETE FROM whocrawls_strings WHERE digest IN (
       SELECT digest FROM whocrawls_strings WHERE last_seen < $1 ORDER BY last_seen
       LIMIT ${evictRows} FOR UPDATE SKIP LOCKED)`,
    [before],
  );
  const meta = await query<{ total: string }>(
    "UPDATE whocrawls_meta SET total = (SELECT count(*) FROM whocrawls_strings) RETURNING total",
  );
  await evict(query, Number(meta.rows[0]?.total), limit);
}

/** Call it with the total locked; resolves to how many it removed. */
async function evict(query: Query, total: number, limit: number): Promise<number> {
  if (total <= limit) return 0;
  const removed = await query(
    `DELETE FROM whocrawls_strings WHERE digest IN (
       SELECT digest FROM whocrawls_strings ORDER BY last_seen, digest LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [Math.min(total - limit, evictRows)],
  );
  await query("UPDATE whocrawls_meta SET total = total - $1", [removed.rowCount ?? 0]);
  return removed.rowCount ?? 0;
}
