/** The stores of the record: how an operator names each, and its creation. A new store needs its file, and its row here. */
import type { Log, Store } from "./store.ts";

interface StoreKind {
  /** The syntax of the value, for messages and the help. */
  readonly form: string;
  /** The place that a text names, for log lines and `create`; undefined for other texts. Throws TypeError for a wrong place. */
  placeOf(text: string): string | undefined;
  /** Creates the store, not yet opened. Loads only what this store needs. */
  create(place: string, log: Log): Promise<Store>;
}

/** In the order in which they are tried. */
const storeKinds = {
  memory: {
    form: "memory:",
    placeOf: (text) => (text === "memory:" || text === ":memory:" ? "memory" : undefined),
    create: async () => (await import("./memory-store.ts")).createMemoryStore(),
  },
  postgres: {
    form: "postgres://…",
    placeOf(text) {
      if (!/^postgres(ql)?:\/\//.test(text)) return undefined;
      if (!URL.canParse(text)) throw new TypeError("not a valid postgres:// address");
      return text;
    },
    create: async (url) => (await import("./postgres/postgres-store.ts")).createPostgresStore({ url }),
  },
  sqlite: {
    form: "the path of a file",
    placeOf(text) {
      const path = text.replace(/^sqlite:/, "");
      if (path === "" || path.includes("\0") || path.endsWith("/")) throw new TypeError("not the path of a file");
      // Two letters and more, so that a Windows drive stays a path.
      const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(path)?.[1];
      if (scheme) throw new TypeError(`not a supported address ("${scheme}:"): write ${recordForms}`);
      return path;
    },
    create: async (path, log) => (await import("./sqlite/sqlite-store.ts")).createSqliteStore({ path, log }),
  },
} as const satisfies Readonly<Record<string, StoreKind>>;

const kinds = Object.keys(storeKinds) as readonly (keyof typeof storeKinds)[];

/** The syntax of the setting `record`. */
export const recordForms = toAlternatives(["off", ...kinds.map((kind) => storeKinds[kind].form)]);

function toAlternatives(forms: readonly string[]): string {
  return `${forms.slice(0, -1).join(", ")} or ${forms.at(-1)}`;
}

/** Where the record goes. */
export type RecordTarget =
  | { readonly kind: "off" }
  | { readonly kind: keyof typeof storeKinds; readonly place: string };

/** Reads what an operator wrote. Throws TypeError with a message for the operator. */
export function parseRecordTarget(text: string): RecordTarget {
  if (/^(?:off|false|no|0)$/i.test(text)) return { kind: "off" };
  if (/^(?:on|true|yes|1|memory|none|sqlite)$/i.test(text)) {
    throw new TypeError(`not clear: write ${recordForms}, such as ./record.sqlite`);
  }
  if (/(?:^|\s)(?:host|dbname|user|password)\s*=/.test(text)) {
    throw new TypeError("not an address: write postgres://user@host/database");
  }
  for (const kind of kinds) {
    const place = storeKinds[kind].placeOf(text);
    if (place !== undefined) return { kind, place };
  }
  throw new TypeError(`not a place for a record: write ${recordForms}`);
}

/** Creates the store, not yet opened; undefined if nothing is recorded. */
export async function createStore(target: RecordTarget, log: Log): Promise<Store | undefined> {
  return target.kind === "off" ? undefined : storeKinds[target.kind].create(target.place, log);
}
