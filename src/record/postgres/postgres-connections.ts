/**
 * Connections to PostgreSQL that cannot crash the process or block it: every statement has a deadline. After any error other
 * than the server's refusal, a connection is not used again.
 */
import pg from "pg";
import type { Row, Statement } from "../sql-queries.ts";
import { StoreError } from "../store.ts";

/** Runs one statement; numbers beyond 32 bits come back as strings. */
export type Ask = (sql: string, values?: readonly unknown[]) => Promise<pg.QueryResult<Row>>;

export interface Connections {
  /** Runs `body` on one connection. Rejects with StoreError. */
  use<T>(body: (ask: Ask) => Promise<T>): Promise<T>;
  /** The same inside a transaction, which `body`'s rejection rolls back. */
  transaction<T>(body: (ask: Ask) => Promise<T>): Promise<T>;
  /** The rows of one statement. */
  all(statement: Statement): Promise<Row[]>;
  /** Closes the connections; the next use would make new ones. */
  end(): Promise<void>;
}

/**
 * Creates up to `most` connections, each when it is needed. `pg` rather than `postgres`: that one (3.4.9) throws an
 * error that cannot be caught when a connection dies inside a transaction, which ends the process (porsager/postgres#1208).
 */
export function createConnections(url: string, timeoutMs: number, most: number): Connections {
  let pool: pg.Pool | undefined;
  const use = async <T>(body: (ask: Ask) => Promise<T>): Promise<T> => {
    let client: pg.PoolClient | undefined;
    let isBroken = false;
    try {
      pool ??= openPool(url, timeoutMs, most);
      const taken = await pool.connect();
      client = taken;
      taken.on("error", ignore);
      return await body((sql, values) => taken.query(sql, values as unknown[]));
    } catch (cause) {
      // The server's own refusal leaves the connection as it was.
      isBroken = !(cause instanceof pg.DatabaseError);
      throw cause instanceof StoreError ? cause : new StoreError(reasonOf(cause), { cause });
    } finally {
      client?.off("error", ignore);
      // Releasing with true destroys it, with whatever was still under way.
      client?.release(isBroken);
    }
  };

  return {
    use,
    transaction: (body) =>
      use(async (ask) => {
        await ask("BEGIN");
        try {
          const result = await body(ask);
          await ask("COMMIT");
          return result;
        } catch (error) {
          if (error instanceof pg.DatabaseError) await ask("ROLLBACK");
          throw error;
        }
      }),
    all: ({ sql, values }) => use(async (ask) => (await ask(sql, values)).rows),
    async end() {
      const ended = pool;
      pool = undefined;
      await ended?.end();
    },
  };
}

function openPool(url: string, timeoutMs: number, most: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "whocrawls",
    max: most,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 60_000,
    query_timeout: timeoutMs,
    // The server gives up when we do; an abandoned statement must not run minutes later.
    statement_timeout: timeoutMs,
    allowExitOnIdle: true,
  });
  // An idle connection that dies is replaced when it is needed; without a listener it would end the process.
  return pool.on("error", ignore);
}

const ignore = () => {};

/** What happened, for an operator: the server's or the system's words, which carry no credentials. */
function reasonOf(cause: unknown): string {
  // Where a name has several addresses, Node reports one failure of several, without a message of its own.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  return (first as Error).message;
}
