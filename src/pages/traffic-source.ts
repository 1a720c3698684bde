/** Types only: what pages read of the record. The host implements the source (server/observe/traffic-source.ts). */

import type { RequestContext } from "../http/context.ts";
import type { TrafficHour } from "../record/traffic.ts";
import type { TrafficNews } from "../record/traffic-news.ts";

/** How often this service has seen a crawler: in the last five weeks or, without an entry, since the first of its recorded strings. */
export interface Sightings {
  readonly count: number;
  /** Requests by the hour, which is in milliseconds since 1970, the oldest first; hours without requests are left out. Empty without an entry. */
  readonly hours: readonly (readonly [hour: number, count: number])[];
}

/** A recorded string, as far as the page shows it. */
export interface SeenString {
  readonly useragent: string;
  readonly crawler: boolean;
  readonly name?: string | undefined;
  readonly count: number;
  /** ISO 8601, UTC. */
  readonly firstSeen: string;
}

/** Access to the record for a visitor. */
export interface TrafficSource {
  /** Whether the visitor may see the record: by a token in a header or from the sign-in. */
  readonly mayRead: (context: RequestContext) => boolean;
  /** Whether a sign-in would help a visitor who may not. */
  readonly hasSignIn: boolean;
  /** Whether the visitor's browser uses TLS: then the sign-in cookie is sent over TLS only. */
  readonly usesTls: (context: RequestContext) => boolean;
  /** Hours from `sinceMs` on, the oldest first; those without requests are left out. */
  readonly hours: (sinceMs: number) => Promise<readonly TrafficHour[]>;
  /** The most frequent strings, and crawlers' strings first seen since then, the newest first. */
  readonly frequent: (limit: number) => Promise<readonly SeenString[]>;
  readonly fresh: (sinceMs: number, limit: number) => Promise<readonly SeenString[]>;
  /** New crawlers and spikes of the last 24 hours. */
  readonly news: () => Promise<TrafficNews>;
  /** Crawlers by name. */
  readonly sightings: () => Promise<ReadonlyMap<string, Sightings>>;
  /** Requests whose strings this process has not recorded since its start, because too many new ones came. */
  readonly dropped: () => number;
  /** The most frequent strings of a crawler. */
  readonly stringsOf: (name: string) => Promise<readonly SeenString[]>;
  readonly now: () => number;
}
