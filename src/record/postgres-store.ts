/** The record in a PostgreSQL database, shared by any number of instances. */
import type { Category } from "../catalogue/entry.ts";
import { createConnections, isRefusal } from "./postgres-connections.ts";
import { migratePostgres } from "./postgres-schema.ts";
import { tidy, writeBatch } from "./postgres-write.ts";
import { type ListQuery, type RecordedString, type Retention, type Store, StoreError } from "./store.ts";
import { fromStored, toLowerAscii, toStored } from "./text.ts";

export interface PostgresOptions {
  readonly url: string;
  /** How long a write or a page may take before its connection is given up. 10 s when absent. */
  readonly timeoutMs?: number;
}

const pageRows = 250;

interface Row {
  readonly digest: string;
  readonly useragent: string;
  readonly cut: boolean;
  readonly crawler: boolean;
  readonly name: string | null;
  readonly operator: string | null;
  readonly category: Category | null;
  readonly count: string;
  readonly first_seen: string;
  readonly last_seen: string;
}

/** Creates a store in the PostgreSQL (12 or later) database at `url`. Connects when it is first used. */
export function createPostgresStore({ url, timeoutMs = 10_000 }: PostgresOptions): Store {
  const connections = createConnections(url, timeoutMs);

  /** Whether the transaction was committed; rejects while the server still works on it or cannot be asked. */
  const settle = async (xid: string): Promise<boolean> => {
    let status: string | null | undefined;
    try {
      const { rows } = await connections.use((query) =>
        query<{ status: string | null }>("SELECT txid_status($1::bigint) AS status", [xid]),
      );
      status = rows[0]?.status;
    } catch (error) {
      // A server that has never heard of this transaction is a standby that took over without it.
      const { code } = (error as StoreError).cause as { code?: string };
      if (isRefusal((error as StoreError).cause) && code === "22023") return false;
      throw error;
    }
    if (status === "in progress") throw new StoreError("a transaction is still in progress");
    // Null: so long ago that the server has forgotten. Counting once too few is better than twice.
    return status !== "aborted";
  };

  return {
    kind: "postgres",
    batchSize: 1000,
    open: () => migratePostgres(connections),

    async write(rows: readonly RecordedString[], limit: number) {
      let xid: string | undefined;
      try {
        return await connections.transaction(async (query) => {
          const written = await writeBatch(query, rows, limit);
          xid = written.xid;
          return written.evicted;
        });
      } catch (cause) {
        // The commit may have been sent, and was not refused: only the server knows.
        const { message, cause: failure } = cause as StoreError;
        if (xid === undefined || isRefusal(failure)) throw cause;
        const doubtful = xid;
        throw new StoreError(message, { cause, settle: () => settle(doubtful) });
      }
    },

    tidy: (retention: Retention) => connections.transaction((query) => tidy(query, retention)),

    async *list(query: ListQuery) {
      let after: readonly [lastSeen: string, digest: string] = [String(Number.MAX_SAFE_INTEGER), ""];
      for (;;) {
        const { condition, values } = toCondition(query, 3);
        const page = await connections.use((ask) =>
          ask<Row>(
            `SELECT encode(digest, 'hex') AS digest, useragent, cut, crawler, name, operator, category,
               count, first_seen, last_seen
             FROM whocrawls_strings AS s
             WHERE (last_seen, s.digest) < ($1::bigint, decode($2, 'hex')) AND ${condition}
             ORDER BY last_seen DESC, s.digest DESC LIMIT ${pageRows}`,
            [...after, ...values],
          ),
        );
        if (page.rows.length > 0) yield page.rows.map(toRecorded);
        const last = page.rows[pageRows - 1];
        if (!last) return;
        after = [last.last_seen, last.digest];
      }
    },

    async count(query: ListQuery) {
      const { condition, values } = toCondition(query, 1);
      const counted =
        values.length === 0
          ? "SELECT total AS n FROM whocrawls_meta"
          : `SELECT count(*) AS n FROM whocrawls_strings WHERE ${condition}`;
      const { rows } = await connections.use((ask) => ask<{ n: string }>(counted, values));
      return Number(rows[0]?.n ?? 0);
    },

    close: () => connections.end(),
  };
}

/** The query as a condition whose first parameter is `$<first>`. */
function toCondition({ q, category, crawler }: ListQuery, first: number): { condition: string; values: unknown[] } {
  const values: unknown[] = [];
  const terms = ["true"];
  const add = (value: unknown, term: (parameter: string) => string) =>
    terms.push(term(`$${first + values.push(value) - 1}`));
  if (q) add(toLowerAscii(toStored(q)), (parameter) => `position(${parameter} IN lower(useragent)) > 0`);
  if (category !== undefined) add(category, (parameter) => `category = ${parameter}`);
  if (crawler !== undefined) add(crawler, (parameter) => `crawler = ${parameter}`);
  return { condition: terms.join(" AND "), values };
}

function toRecorded(row: Row): RecordedString {
  return {
    useragent: fromStored(row.useragent),
    ...(row.cut && { cut: true as const }),
    crawler: row.crawler,
    ...(row.name !== null && { name: fromStored(row.name) }),
    ...(row.operator !== null && { operator: row.operator }),
    ...(row.category !== null && { category: row.category }),
    count: Number(row.count),
    firstSeen: Number(row.first_seen),
    lastSeen: Number(row.last_seen),
  };
}
