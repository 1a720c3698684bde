/** The record in memory, gone when the process ends: for trying things out, and for hosts without a disk. */
import type { ListQuery, RecordedString, Retention, Store } from "./store.ts";
import { toLowerAscii, toStored } from "./text.ts";

/** Two bytes a UTF-16 unit, an object and a map slot. */
const stringBytes = 320;
const pageRows = 250;

/** Gives other requests their turn: without a database to wait for, nothing else would. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a store in memory. `maxBytes` (64 MiB when absent) bounds what its strings are estimated to take, since a
 * hundred thousand strings of 2 KiB would be 400 MB; the longest unseen leave for that bound too.
 */
export function createMemoryStore(options: { maxBytes?: number } = {}): Store {
  const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  /** Kept in the order of the last write, so that the first is the longest unseen. */
  const rows = new Map<string, RecordedString>();
  let bytes = 0;

  const bytesOf = (row: RecordedString) => stringBytes + 2 * row.useragent.length;
  const remove = (row: RecordedString) => {
    rows.delete(row.useragent);
    bytes -= bytesOf(row);
  };
  const evict = (limit: number) => {
    const before = rows.size;
    for (const row of rows.values()) {
      if (rows.size <= limit && bytes <= maxBytes) break;
      remove(row);
    }
    return before - rows.size;
  };

  return {
    kind: "memory",
    batchSize: 250,
    async open() {},

    async write(batch: readonly RecordedString[], limit: number) {
      for (const row of batch) {
        const before = rows.get(row.useragent);
        if (before) remove(before);
        rows.set(row.useragent, before ? merge(before, row) : row);
        bytes += bytesOf(row);
      }
      const evicted = evict(limit);
      await turn();
      return evicted;
    },

    async tidy({ limit, before = 0 }: Retention) {
      for (const row of rows.values()) if (row.lastSeen < before) remove(row);
      evict(limit);
    },

    async *list(query: ListQuery) {
      const matches = toMatcher(query);
      const snapshot = lastSeenFirst(rows);
      for (let at = 0; at < snapshot.length; at += pageRows) {
        const page = snapshot.slice(at, at + pageRows).filter(matches);
        await turn();
        if (page.length > 0) yield page;
      }
    },

    async count(query: ListQuery) {
      if (query.q === undefined && query.category === undefined && query.crawler === undefined) return rows.size;
      let count = 0;
      for await (const page of this.list(query)) count += page.length;
      return count;
    },

    async close() {
      rows.clear();
      bytes = 0;
    },
  };
}

/** Both as one: counts added, the widest span of time, the facts of the later verdict. */
function merge(before: RecordedString, row: RecordedString): RecordedString {
  return {
    ...row,
    ...(before.cut && { cut: true as const }),
    count: before.count + row.count,
    firstSeen: Math.min(before.firstSeen, row.firstSeen),
    lastSeen: Math.max(before.lastSeen, row.lastSeen),
  };
}

/** References only: 800 KB for a hundred thousand strings. They are in order already, unless the clock was set back. */
function lastSeenFirst(rows: ReadonlyMap<string, RecordedString>): RecordedString[] {
  const all: RecordedString[] = [...rows.values()].reverse();
  const inOrder = all.every((row, n) => n === 0 || row.lastSeen <= all[n - 1]!.lastSeen);
  return inOrder ? all : all.sort((a, b) => b.lastSeen - a.lastSeen);
}

function toMatcher({ q, category, crawler }: ListQuery): (row: RecordedString) => boolean {
  const part = q === undefined ? "" : toLowerAscii(toStored(q));
  return (row) =>
    (category === undefined || row.category === category) &&
    (crawler === undefined || row.crawler === crawler) &&
    (part === "" || toLowerAscii(toStored(row.useragent)).includes(part));
}
