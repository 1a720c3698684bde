/** The record in memory, lost at the end of the process: for trials, and for hosts without a disk. */
import {
  countedRows,
  isFiltered,
  type NewCrawler,
  newCrawlersLimit,
  type Page,
  pageRows,
  type RecordedString,
  type RecordQuery,
  type Store,
} from "./store.ts";
import { toFolded } from "./stored-text.ts";
import { foldTraffic, type TrafficCount } from "./traffic.ts";

/** An object, a map slot, and two bytes a UTF-16 unit. */
const bytesOf = (row: RecordedString) => 320 + 2 * row.useragent.length;

/** Where a list goes on in what was there when it began: references only, 800 kB for a hundred thousand strings. */
interface Cursor {
  readonly rows: readonly RecordedString[];
  readonly at: number;
}

/**
 * Creates a store in memory. `maxBytes` (64 MiB when absent) bounds what its strings are estimated to take, since a
 * hundred thousand strings of 2 KiB would be 400 MB; the longest unseen leave for that bound too.
 */
export function createMemoryStore({ maxBytes = 64 * 1024 * 1024 }: { maxBytes?: number } = {}): Store {
  /** Kept in the order of the last write, so that the first is the longest unseen. */
  const rows = new Map<string, RecordedString>();
  let bytes = 0;
  const traffic = new Map<string, TrafficCount>();

  const remove = (row: RecordedString) => {
    rows.delete(row.useragent);
    bytes -= bytesOf(row);
  };
  /** Removes the longest unseen beyond either bound. */
  const evict = (limit: number) => {
    const before = rows.size;
    for (const row of rows.values()) {
      if (rows.size <= limit && bytes <= maxBytes) break;
      remove(row);
    }
    return before - rows.size;
  };

  return {
    batchRows: pageRows,
    async open() {},

    async write(batch) {
      for (const row of batch.rows) {
        const before = rows.get(row.useragent);
        if (before) remove(before);
        rows.set(row.useragent, before ? merge(before, row) : row);
        bytes += bytesOf(row);
      }
      addTraffic(traffic, batch.traffic);
      evict(Infinity);
      await turn();
    },

    async tidy({ limit, before = 0, trafficOpen, trafficBefore }) {
      for (const row of rows.values()) if (row.lastSeen < before) remove(row);
      const kept = [...traffic.values()].filter(({ hour }) => hour >= trafficBefore);
      traffic.clear();
      addTraffic(
        traffic,
        kept.filter(({ hour }) => hour < trafficOpen),
      );
      addTraffic(traffic, foldTraffic(kept.filter(({ hour }) => hour >= trafficOpen)));
      return evict(limit);
    },

    async page(query, start, most) {
      await turn();
      const begin = () => ({ rows: inOrder(rows, query.order), at: start as number });
      return readPage(typeof start === "number" ? begin() : (start.cursor as Cursor), query, most);
    },

    async count(query) {
      if (!isFiltered(query)) return rows.size;
      return rows.size > countedRows ? undefined : [...rows.values()].filter(toMatcher(query)).length;
    },

    total: () => rows.size,

    async newCrawlers(since) {
      const crawlers = new Map<string, NewCrawler>();
      for (const { crawler, name, category, count, firstSeen } of rows.values()) {
        if (!crawler || name === undefined || category === undefined) continue;
        const sum = crawlers.get(name) ?? { name, category, count: 0, firstSeen };
        const first = Math.min(sum.firstSeen, firstSeen);
        crawlers.set(name, { ...sum, count: sum.count + count, firstSeen: first });
      }
      return [...crawlers.values()]
        .filter(({ firstSeen }) => firstSeen >= since)
        .sort((a, b) => b.firstSeen - a.firstSeen || (a.name < b.name ? -1 : 1))
        .slice(0, newCrawlersLimit);
    },

    async traffic(since, until) {
      return [...traffic.values()].filter(({ hour }) => hour >= since && hour < until);
    },

    async close() {
      traffic.clear();
      rows.clear();
      bytes = 0;
    },
  };
}

function addTraffic(traffic: Map<string, TrafficCount>, counts: readonly TrafficCount[]): void {
  for (const each of counts) {
    const key = `${each.hour} ${each.dimension} ${each.value}`;
    traffic.set(key, { ...each, count: (traffic.get(key)?.count ?? 0) + each.count });
  }
}

function readPage({ rows, at: from }: Cursor, query: RecordQuery, most: number): Page {
  const matches = toMatcher(query);
  const found: RecordedString[] = [];
  let at = from;
  // In another order there is no next page.
  for (const end = query.order ? rows.length : from + pageRows; at < end && at < rows.length; at++) {
    if (found.length === most) break;
    if (matches(rows[at]!)) found.push(rows[at]!);
  }
  return { rows: found, ...(at < rows.length && !query.order && { next: { cursor: { rows, at } } }) };
}

/** Gives other requests their turn: without a database to wait for, nothing else would. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
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

const orders = { "last-seen": "lastSeen", "first-seen": "firstSeen", count: "count" } as const;

function inOrder(rows: ReadonlyMap<string, RecordedString>, order: RecordQuery["order"]): RecordedString[] {
  const member = orders[order ?? "last-seen"];
  return [...rows.values()].reverse().sort((a, b) => b[member] - a[member]);
}

function toMatcher({ q = "", category, crawler }: RecordQuery): (row: RecordedString) => boolean {
  const part = toFolded(q);
  return (row) =>
    (category === undefined || row.category === category) &&
    (crawler === undefined || row.crawler === crawler) &&
    (part === "" || toFolded(row.useragent).includes(part));
}
