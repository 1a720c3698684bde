/** What pages read from the record, and who may see it. Queries that scan the record run at most every ten seconds. */
import { remember } from "../../cache/remember.ts";
import type { RequestContext } from "../../http/context.ts";
import type { RecordedString, RecordQuery, Sighting } from "../../record/store.ts";
import type { TrafficHour, TrafficSums } from "../../record/traffic.ts";
import type { TrafficNews } from "../../record/traffic-news.ts";
import type { RecordKeeper, ServiceOptions } from "../../service/options.ts";

const keptMs = 10_000;
/** A string that contains a name may be named differently: this many are searched, and those with the name are shown. */
const searchedStrings = 50;

/** The cookie of the sign-in. */
export const cookieName = "whocrawls-token";

/** The record, for a visitor who may read it. */
export interface RecordView {
  /** Sums of the hours from `sinceMs` on. */
  sums(sinceMs: number): Promise<TrafficSums>;
  /** The most frequent strings, and crawlers' strings first seen since then, the newest first. */
  frequent(limit: number): Promise<readonly RecordedString[]>;
  fresh(sinceMs: number, limit: number): Promise<readonly RecordedString[]>;
  /** New crawlers and spikes of the last 24 hours. */
  news(): Promise<TrafficNews>;
  /** Crawlers by name. */
  sightings(): Promise<ReadonlyMap<string, Sighting>>;
  /** Hours with requests by a crawler, the oldest first. */
  hoursOf(name: string): Promise<readonly TrafficHour[]>;
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

/** Makes the record as visitors see it; undefined if it cannot be read. */
export function showRecord({ record, mayRead }: Pick<ServiceOptions, "record" | "mayRead">): ShownRecord | undefined {
  if (!isReadable(record)) return undefined;
  const view = createView(record);
  return {
    hasSignIn: mayRead !== undefined,
    viewOf: (context) => (mayRead === undefined || mayRead(authorizationOf(context)) ? view : undefined),
  };
}

type Readable = RecordKeeper & Required<Pick<RecordKeeper, "list" | "traffic">>;

function isReadable(record: RecordKeeper | undefined): record is Readable {
  return record?.list !== undefined && record.traffic !== undefined;
}

function createView(record: Readable): RecordView {
  const { traffic } = record;
  const strings = remember(async (query: RecordQuery) => {
    for await (const page of record.list(query)) return page;
    return [];
  }, keptMs);
  const sightings = remember(async (_: "all") => {
    return new Map((await traffic.sightings()).map((sighting) => [sighting.name, sighting]));
  }, keptMs);
  return {
    sums: (sinceMs) => traffic.sums(sinceMs),
    dropped: () => record.status?.().dropped ?? 0,
    frequent: (limit) => strings({ order: "count", limit }),
    async fresh(sinceMs, limit) {
      const newest = await strings({ order: "first-seen", crawler: true, limit });
      return newest.filter(({ firstSeen }) => firstSeen >= sinceMs);
    },
    news: () => traffic.news(),
    sightings: () => sightings("all"),
    hoursOf: remember((name: string) => traffic.hoursOf(name), keptMs),
    async stringsOf(name) {
      const found = await strings({ q: name, crawler: true, order: "count", limit: searchedStrings });
      return found.filter((string) => string.name === name);
    },
  };
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
