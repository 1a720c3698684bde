/**
 * Connections to PostgreSQL that never take the process with them and never keep it waiting: every use has a deadline,
 * and a connection on which anything but the server's own refusal went wrong is not used again.
 */
import pg from "pg";
import { StoreError } from "./store.ts";

/** One statement; numbers beyond 32 bits come back as strings. */
export type Query = <T extends object>(sql: string, values?: readonly unknown[]) => Promise<pg.QueryResult<T>>;

export interface Connections {
  /** Runs `body` on one connection. Rejects with StoreError. */
  use<T>(body: (query: Query) => Promise<T>): Promise<T>;
  /** The same inside a transaction, which `body`'s rejection rolls back. */
  transaction<T>(body: (query: Query) => Promise<T>): Promise<T>;
  /** Closes the connections; the next use would make new ones. */
  end(): Promise<void>;
}

/** Whether the server itself refused, and with that rolled back. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError;
}

/**
 * Creates up to three connections, each when it is needed. `pg` rather than `postgres`: that one (3.4.9) throws where
 * nobody can catch it when a connection dies inside a transaction, which ends the process (porsager/postgres#1208).
 */
export function createConnections(url: string, timeoutMs: number): Connections {
  let pool: pg.Pool | undefined;
  const open = () => {
    const opened = new pg.Pool({
      connectionString: url,
      application_name: "whocrawls",
      max: 3,
      connectionTimeoutMillis: timeoutMs / 2,
      idleTimeoutMillis: 60_000,
      // The server gives up when we do; a statement nobody waits for must not be carried out minutes later.
      statement_timeout: timeoutMs,
      allowExitOnIdle: true,
    });
    // An idle connection that dies is replaced when it is needed; without a listener it would end the process.
    opened.on("error", ignore);
    return opened;
  };

  const use = async <T>(body: (query: Query) => Promise<T>): Promise<T> => {
    let client: pg.PoolClient | undefined;
    let timer: NodeJS.Timeout | undefined;
    let over = false;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new StoreError(`no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    const run = async () => {
      pool ??= open();
      client = await pool.connect();
      const taken = client;
      // It came after the deadline: nobody is here to release it.
      if (over) return taken.release() as never;
      taken.on("error", ignore);
      return body((sql, values) => {
        if (over) throw new StoreError("given up");
        return taken.query(sql, values as unknown[]);
      });
    };
    let failure: unknown;
    try {
      return await Promise.race([run(), late]);
    } catch (cause) {
      failure = cause;
      throw cause instanceof StoreError ? cause : new StoreError(reasonOf(cause), { cause });
    } finally {
      over = true;
      clearTimeout(timer);
      client?.off("error", ignore);
      // Releasing with true destroys it, with whatever was still under way.
      client?.release(failure !== undefined && !isRefusal(failure));
    }
  };

  return {
    use,
    transaction: (body) =>
      use(async (query) => {
        await query("BEGIN");
        try {
          const result = await body(query);
          await query("COMMIT");
          return result;
        } catch (error) {
          if (isRefusal(error)) await query("ROLLBACK");
          throw error;
        }
      }),
    async end() {
      const ended = pool;
      pool = undefined;
      await ended?.end();
    },
  };
}

const ignore = () => {};

/** What happened, for an operator: the server's or the system's words, which carry no credentials. */
function reasonOf(cause: unknown): string {
  // Where a name has several addresses, Node reports one failure of several, without a message of its own.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const { message, code } = first as { message?: string; code?: string };
  return message || code || "the database cannot be reached";
}
