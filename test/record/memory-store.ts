/** A store in plain maps and arrays: the oracle of the suite for stores, and what tests of the record write to. */
import {
  countedRows,
  isFiltered,
  type NewCrawler,
  newCrawlersLimit,
  type RecordedString,
  type RecordQuery,
  type Sighting,
  type Store,
} from "../../src/record/store.ts";
import { toFolded } from "../../src/record/stored-text.ts";
import type { TrafficCount } from "../../src/record/traffic.ts";

/** Creates an empty store, which is always open. */
export function createMemoryStore(): Store {
  const rows = new Map<string, RecordedString>();
  const traffic = new Map<string, TrafficCount>();
  const inOrder = ({ order }: RecordQuery = {}): RecordedString[] => {
    const member = order === "first-seen" ? "firstSeen" : (order ?? "lastSeen");
    return [...rows.values()].reverse().sort((a, b) => b[member] - a[member]);
  };

  const namedSince = (since: number): TrafficCount[] =>
    [...traffic.values()].filter(({ hour, dimension, value }) => hour >= since && dimension === "name" && value !== "");

  return {
    async open() {},
    async write(batch) {
      for (const row of batch.rows) {
        const before = rows.get(row.useragent);
        rows.delete(row.useragent);
        rows.set(row.useragent, before ? merge(before, row) : row);
      }
      for (const each of batch.traffic) {
        const key = JSON.stringify([each.hour, each.dimension, each.value]);
        traffic.set(key, { ...each, count: (traffic.get(key)?.count ?? 0) + each.count });
      }
    },
    async tidy({ limit, before = 0, trafficBefore }) {
      for (const [key, { hour }] of traffic) if (hour < trafficBefore) traffic.delete(key);
      for (const row of rows.values()) if (row.lastSeen < before) rows.delete(row.useragent);
      const excess = inOrder().slice(limit);
      for (const row of excess) rows.delete(row.useragent);
      return excess.length;
    },
    async page(query, start, most) {
      const all = typeof start === "number" ? inOrder(query).slice(start) : (start.cursor as RecordedString[]);
      const found = all.filter(toMatcher(query)).slice(0, most);
      const rest = found.length < most || query.order ? [] : all.slice(all.indexOf(found.at(-1)!) + 1);
      return { rows: found, ...(rest.length > 0 && { next: { cursor: rest } }) };
    },
    async count(query) {
      if (!isFiltered(query)) return rows.size;
      return rows.size > countedRows ? undefined : inOrder().filter(toMatcher(query)).length;
    },
    async newCrawlers(since) {
      const crawlers = new Map<string, NewCrawler>();
      for (const { crawler, name, category, count, firstSeen } of rows.values()) {
        if (!crawler || name === undefined || category === undefined) continue;
        const sum = crawlers.get(name) ?? { name, category, count: 0, firstSeen };
        crawlers.set(name, { ...sum, count: sum.count + count, firstSeen: Math.min(sum.firstSeen, firstSeen) });
      }
      return [...crawlers.values()]
        .filter(({ firstSeen }) => firstSeen >= since)
        .sort((a, b) => b.firstSeen - a.firstSeen || (a.name < b.name ? -1 : 1))
        .slice(0, newCrawlersLimit);
    },
    async traffic(since, until) {
      const sums = new Map<string, TrafficCount>();
      for (const each of traffic.values()) {
        if (each.hour < since || each.hour >= until) continue;
        const hour = each.dimension === "crawler" ? each.hour : since;
        const key = JSON.stringify([hour, each.dimension, each.value]);
        sums.set(key, { ...each, hour, count: (sums.get(key)?.count ?? 0) + each.count });
      }
      return [...sums.values()];
    },
    async firstHour(since) {
      const hours = [...traffic.values()].map(({ hour }) => hour).filter((hour) => hour >= since);
      return hours.length === 0 ? undefined : Math.min(...hours);
    },
    async sightings(since) {
      const names = new Map<string, Required<Sighting>>();
      for (const { hour, value: name, count } of namedSince(since)) {
        const sum = names.get(name) ?? { name, count: 0, lastHour: 0 };
        names.set(name, { name, count: sum.count + count, lastHour: Math.max(sum.lastHour, hour) });
      }
      return [...names.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async hoursOf(name, since) {
      const counts = namedSince(since).filter(({ value }) => value === name);
      return counts.map(({ hour, count }) => ({ hour, crawlers: count, people: 0 })).sort((a, b) => a.hour - b.hour);
    },
    async spikes({ since, until, requests, factor, beforeMs }) {
      return namedSince(since)
        .map(({ value: name, hour, count }) => {
          const earlier = namedSince(hour - beforeMs).filter((each) => each.value === name && each.hour < hour);
          return { name, hour, requests: count, before: Math.max(0, ...earlier.map((each) => each.count)) };
        })
        .filter((each) => each.hour <= until && each.requests >= requests && each.requests >= factor * each.before)
        .sort((a, b) => b.requests - a.requests || compare(a.name, b.name) || a.hour - b.hour);
    },
    async close() {},
  };
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

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

function toMatcher({ q = "", category, crawler }: RecordQuery): (row: RecordedString) => boolean {
  const part = toFolded(q);
  return (row) =>
    (category === undefined || row.category === category) &&
    (crawler === undefined || row.crawler === crawler) &&
    (part === "" || toFolded(row.useragent).includes(part));
}
