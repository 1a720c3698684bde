/** Where the record is kept: parses the operator's setting, and creates the store. A new store needs a row in both functions. */
import type { Store } from "./store.ts";

/** The syntax of the setting `record`. */
export const recordForms = "off, memory:, postgres://… or the path of a file";

/** What the record keeps of people's strings: all of each, or none. Requests are counted in any case. */
export const peopleChoices = ["full", "off"] as const;
export type PeopleChoice = (typeof peopleChoices)[number];

/** Where the record goes; `place` is the address or the path, as log lines show it. */
export type RecordTarget =
  | { readonly kind: "off" }
  | { readonly kind: "memory" | "postgres" | "sqlite"; readonly place: string };

/** Reads what an operator wrote. Throws TypeError with a message that continues the name of the value. */
export function parseRecordTarget(text: string): RecordTarget {
  if (/^(?:off|false|no|0)$/i.test(text)) return { kind: "off" };
  if (/^(?:on|true|yes|1|memory|none|sqlite)$/i.test(text)) {
    throw new TypeError(`is ambiguous: write ${recordForms}, such as ./record.sqlite`);
  }
  if (/(?:^|\s)(?:host|dbname|user|password)\s*=/.test(text)) {
    throw new TypeError("is not an address: write postgres://user@host/database");
  }
  if (text === "memory:" || text === ":memory:") return { kind: "memory", place: "memory" };
  if (/^postgres(ql)?:\/\//.test(text)) {
    if (!URL.canParse(text)) throw new TypeError("is not a valid postgres:// address");
    return { kind: "postgres", place: text };
  }
  const path = text.replace(/^sqlite:/, "");
  if (path === "" || path.includes("\0") || path.endsWith("/")) throw new TypeError("is not the path of a file");
  // With one letter before the colon it is a Windows drive.
  if (/^(?:\.{0,2}[/\\]|[a-z]:)/i.test(path)) return { kind: "sqlite", place: path };
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(path)?.[1];
  if (scheme) throw new TypeError(`is not a supported address ("${scheme}:"): write ${recordForms}`);
  if (/:\/\/|:[^/@:]*@/.test(path)) throw new TypeError(`is not a supported address: write ${recordForms}`);
  return { kind: "sqlite", place: path };
}

/** Creates the store, not yet opened; undefined if nothing is recorded. Loads only what this store needs. */
export async function createStore(target: RecordTarget): Promise<Store | undefined> {
  if (target.kind === "off") return undefined;
  if (target.kind === "postgres") {
    const [{ createSqlStore }, { createPostgresDriver }] = await Promise.all([
      import("./sql-store.ts"),
      import("./postgres-driver.ts"),
    ]);
    return createSqlStore(createPostgresDriver(target.place));
  }
  const { createSqliteStore } = await import("./sqlite-store.ts");
  return createSqliteStore(target.kind === "memory" ? ":memory:" : target.place);
}
