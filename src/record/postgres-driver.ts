/** PostgreSQL (12 or later) for the record: connections that cannot crash the process or block it, since every statement has a deadline. */
import pg from "pg";
import type { Ask, Driver } from "./sql-driver.ts";
import { StoreError } from "./store.ts";

/** A lock number that no other program is likely to use: "whoCrawl" in ASCII. */
const lockKey = "8604249423563814764";

/** Creates the driver of the database at `url`, which connects when it is first used. `timeoutMs` is the deadline of a statement. */
export function createPostgresDriver(url: string, timeoutMs = 10_000): Driver {
  // A separate pool, so that writing never waits for lists.
  let writing = openPool(url, timeoutMs, 1);
  let reading = openPool(url, timeoutMs, 2);
  const place = `the database ${new URL(url).pathname.slice(1)}`;
  const remedy = "set record to another database";

  return {
    place,
    remedy,
    // So that order and small letters do not depend on the database's language.
    text: 'text COLLATE "C"',
    insertRows: 250,
    skipLocked: "FOR UPDATE SKIP LOCKED",
    async connect() {},

    async versionOf(ask) {
      // Instances that start together wait for one another.
      await ask("SELECT pg_advisory_xact_lock($1::bigint)", [lockKey]);
      // Not to_regclass, because a connection caches its answer even if another instance has created the tables in the meantime.
      const { rows } = await ask(`SELECT current_setting('server_encoding') AS encoding,
        EXISTS (SELECT 1 FROM pg_class WHERE relname = 'whocrawls_meta' AND pg_table_is_visible(oid)) AS present`);
      const { encoding, present } = rows[0] ?? {};
      if (encoding !== "UTF8") throw new StoreError(`${place} has the encoding ${encoding}, not UTF8: ${remedy}`);
      return present ? Number((await ask("SELECT version FROM whocrawls_meta")).rows[0]?.version) : undefined;
    },
    setVersion: (version) => [
      "CREATE TABLE IF NOT EXISTS whocrawls_meta (version integer NOT NULL)",
      "DELETE FROM whocrawls_meta",
      `INSERT INTO whocrawls_meta VALUES (${version})`,
    ],

    transaction: (body) =>
      use(writing, async (ask) => {
        await ask("BEGIN");
        try {
          const result = await body(ask);
          await ask("COMMIT");
          return result;
        } catch (error) {
          // After any other failure the connection is given up, which ends the transaction.
          if (isRefusal(error)) await ask("ROLLBACK");
          throw error;
        }
      }),
    read: (sql, values) => use(reading, (ask) => ask(sql, values)),

    async close() {
      const pools = [writing, reading];
      writing = openPool(url, timeoutMs, 1);
      reading = openPool(url, timeoutMs, 2);
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/**
 * Up to `most` connections, each made when it is needed. `pg` rather than `postgres`: that one (3.4.9) throws an error that cannot be
 * caught when a connection dies inside a transaction, which ends the process (porsager/postgres#1208).
 */
function openPool(url: string, timeoutMs: number, most: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "whocrawls",
    max: most,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 60_000,
    query_timeout: timeoutMs,
    // The server must time out when we do: an abandoned statement must not run minutes later.
    statement_timeout: timeoutMs,
    allowExitOnIdle: true,
  });
  // An idle connection that dies is replaced on demand; without a listener, its error would end the process.
  return pool.on("error", ignore);
}

const ignore = (): void => {};

/** Whether the server or the caller refused the statement, which leaves the connection intact. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError || error instanceof StoreError;
}

/** Runs `body` on one connection, which is not used again after a failure other than a refusal. Rejects with StoreError. */
async function use<T>(pool: pg.Pool, body: (ask: Ask) => Promise<T>): Promise<T> {
  let client: pg.PoolClient | undefined;
  let isBroken = false;
  try {
    const taken = await pool.connect();
    client = taken.on("error", ignore);
    return await body(async (sql, values) => {
      const { rows, rowCount } = await taken.query(sql, values?.slice());
      return { rows, changes: rowCount ?? 0 };
    });
  } catch (cause) {
    isBroken = !isRefusal(cause);
    // If a name has several addresses, Node throws an AggregateError without a message of its own.
    const first = cause instanceof AggregateError ? cause.errors[0] : cause;
    throw cause instanceof StoreError ? cause : new StoreError((first as Error).message, { cause });
  } finally {
    client?.off("error", ignore);
    // Releasing with true destroys the connection, along with any statement in progress.
    client?.release(isBroken);
  }
}
