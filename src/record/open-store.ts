/** Which store a record goes to, as the operator names it, and creating it. */
import type { Log, Store } from "./store.ts";

export type RecordTarget =
  | { readonly kind: "off" }
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Reads `off`, `memory:`, `postgres://…` or the path of a SQLite file. Throws TypeError with a message for the operator. */
export function parseRecordTarget(text: string): RecordTarget {
  if (/^(?:off|false|no|0)$/i.test(text)) return { kind: "off" };
  if (/^(?:on|true|yes|1|memory|none|sqlite)$/i.test(text)) {
    throw new TypeError("not clear: write off, memory:, postgres://… or the path of a file, such as ./record.sqlite");
  }
  if (/(?:^|\s)(?:host|dbname|user|password)\s*=/.test(text)) {
    throw new TypeError("not an address: write postgres://user@host/database");
  }
  if (text === "memory:" || text === ":memory:") return { kind: "memory" };
  if (/^postgres(ql)?:\/\//.test(text)) {
    if (!URL.canParse(text)) throw new TypeError("not a valid postgres:// address");
    return { kind: "postgres", url: text };
  }
  const path = text.replace(/^sqlite:/, "");
  if (path === "" || path.includes("\0") || path.endsWith("/")) throw new TypeError("not the path of a file");
  // Two letters and more, so that a Windows drive stays a path.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(path)?.[1];
  if (scheme)
    throw new TypeError(
      `not a supported address ("${scheme}:"): write off, memory:, postgres://… or the path of a file`,
    );
  return { kind: "sqlite", path };
}

/** Creates the store, not yet opened; undefined when there is to be no record. Loads only what that store needs. */
export async function createStore(target: RecordTarget, log: Log): Promise<Store | undefined> {
  switch (target.kind) {
    case "off":
      return undefined;
    case "memory":
      return (await import("./memory-store.ts")).createMemoryStore();
    case "sqlite":
      return (await import("./sqlite/sqlite-store.ts")).createSqliteStore({ path: target.path, log });
    case "postgres":
      return (await import("./postgres/postgres-store.ts")).createPostgresStore({ url: target.url });
  }
}
