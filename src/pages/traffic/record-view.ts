/** What pages read from the record, and who may see it. Queries that scan the record run at most every ten seconds. */
import { remember } from "../../cache/remember.ts";
import type { RequestContext } from "../../http/context.ts";
import type { RecordedString, RecordQuery } from "../../record/store.ts";
import { type TrafficHour, toHour, trafficKeptMs } from "../../record/traffic.ts";
import { newsOf, type TrafficNews } from "../../record/traffic-news.ts";
import type { RecordKeeper, ServiceOptions } from "../../service/options.ts";

const keptMs = 10_000;
/** A string that contains a name may be named differently: this many are searched, and those with the name are shown. */
const searchedStrings = 50;

/** The cookie of the sign-in. */
export const cookieName = "whocrawls-token";

/** How often this service has seen a crawler: in the last five weeks or, without an entry, since the first of its recorded strings. */
export interface Sightings {
  readonly count: number;
  /**
   * Requests by the hour, which is in milliseconds since 1970, the oldest first; hours without requests are left out. Empty without an
   * entry.
   */
  readonly hours: readonly (readonly [hour: number, count: number])[];
}

/** The record, for a visitor who may read it. */
export interface RecordView {
  /** Hours from `sinceMs` on, the oldest first; those without requests are left out. The first has the sums of all but crawlers and people. */
  hours(sinceMs: number): Promise<readonly TrafficHour[]>;
  /** The most frequent strings, and crawlers' strings first seen since then, the newest first. */
  frequent(limit: number): Promise<readonly RecordedString[]>;
  fresh(sinceMs: number, limit: number): Promise<readonly RecordedString[]>;
  /** New crawlers and spikes of the last 24 hours. */
  news(): Promise<TrafficNews>;
  /** Crawlers by name. */
  sightings(): Promise<ReadonlyMap<string, Sightings>>;
  /** The most frequent strings of a crawler. */
  stringsOf(name: string): Promise<readonly RecordedString[]>;
  /** Requests whose strings this process has not recorded since its start, because too many new ones came. */
  dropped(): number;
}

/** The record as visitors see it. */
export interface ShownRecord {
  /** Whether visitors who may not read it can sign in with a token. */
  readonly hasSignIn: boolean;
  /** The record for the visitor who sends a request; undefined if the visitor may not read it. */
  viewOf(context: RequestContext): RecordView | undefined;
}

/**
 * Makes the record as visitors see it; undefined if it cannot be read. `hasEntry`: whether the catalogue has an entry for a name; without
 * one, hours do not have it.
 */
export function showRecord(
  { record, mayRead }: Pick<ServiceOptions, "record" | "mayRead">,
  hasEntry: (name: string) => boolean,
): ShownRecord | undefined {
  if (!isReadable(record)) return undefined;
  const view = createView(record, hasEntry);
  return {
    hasSignIn: mayRead !== undefined,
    viewOf: (context) => (mayRead === undefined || mayRead(authorizationOf(context)) ? view : undefined),
  };
}

type Readable = RecordKeeper & Required<Pick<RecordKeeper, "list" | "traffic" | "newCrawlers">>;

function isReadable(record: RecordKeeper | undefined): record is Readable {
  return [record?.list, record?.traffic, record?.newCrawlers].every((method) => method !== undefined);
}

function createView(record: Readable, hasEntry: (name: string) => boolean): RecordView {
  const strings = remember(async (query: RecordQuery) => {
    for await (const page of record.list(query)) return page;
    return [];
  }, keptMs);
  const sightings = remember(async (sinceMs: number) => {
    const counted = toSightings(await record.traffic(sinceMs));
    const others = (await record.newCrawlers(0)).filter(({ name }) => !hasEntry(name));
    return new Map([...counted, ...others.map(({ name, count }) => [name, { count, hours: [] }] as const)]);
  }, keptMs);
  return {
    hours: (sinceMs) => record.traffic(sinceMs, true),
    dropped: () => record.status?.().dropped ?? 0,
    frequent: (limit) => strings({ order: "count", limit }),
    async fresh(sinceMs, limit) {
      const newest = await strings({ order: "first-seen", crawler: true, limit });
      return newest.filter(({ firstSeen }) => firstSeen >= sinceMs);
    },
    news: () => newsOf(record),
    sightings: () => sightings(toHour(Date.now() - trafficKeptMs)),
    async stringsOf(name) {
      const found = await strings({ q: name, crawler: true, order: "count", limit: searchedStrings });
      return found.filter((string) => string.name === name);
    },
  };
}

/** Hours are in order, the oldest first. */
function toSightings(hours: readonly TrafficHour[]): Map<string, Sightings> {
  const sightings = new Map<string, { count: number; readonly hours: [hour: number, count: number][] }>();
  for (const { hour, names } of hours) {
    for (const [name, count] of Object.entries(names)) {
      if (name === "") continue;
      const seen = sightings.get(name) ?? { count: 0, hours: [] };
      seen.count += count;
      seen.hours.push([hour, count]);
      sightings.set(name, seen);
    }
  }
  return sightings;
}

/** The token of the sign-in as an `Authorization` header would carry it; null without both. */
function authorizationOf({ request: { headers } }: RequestContext): string | null {
  const given = headers.get("authorization");
  if (given !== null) return given;
  const pair = (headers.get("cookie") ?? "").split(/;\s*/).find((part) => part.startsWith(`${cookieName}=`));
  if (pair === undefined) return null;
  try {
    return `Bearer ${decodeURIComponent(pair.slice(cookieName.length + 1))}`;
  } catch {
    return null;
  }
}
