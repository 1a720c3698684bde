/** News of the record: new crawlers of the last 24 hours, and hours in which a crawler requested far more than before. */
import { remember } from "../cache/remember.ts";
import type { UserAgentRecord } from "./record.ts";
import type { NewCrawler } from "./store.ts";
import { hourMs, type TrafficHour, toHour } from "./traffic.ts";

export interface Spike {
  readonly name: string;
  /** When the hour began, in ms since 1970. */
  readonly hour: number;
  readonly requests: number;
  /** The most requests of an hour in the seven days before. */
  readonly before: number;
}

export interface TrafficNews {
  /** Whether the record is older than 24 hours; if not, the lists are empty. */
  readonly isKnown: boolean;
  /** First seen within 24 hours, the newest first. */
  readonly newCrawlers: readonly NewCrawler[];
  /** Of each crawler the hour with the most requests, the most requests first. */
  readonly spikes: readonly Spike[];
}

export const dayMs = 24 * hourMs;
/** Reading the news reads the whole record and eight days of hours, so they are kept for this time. */
const newsKeptMs = 60_000;
/** A spike has at least this many requests, and at least this many times as many as any hour of the previous days. */
export const spikeRequests = 100;
export const spikeFactor = 3;
export const spikeDays = 7;

type NewsSource = Pick<UserAgentRecord, "traffic" | "newCrawlers">;

const known = new WeakMap<NewsSource, (question: undefined) => Promise<TrafficNews>>();

/** The news of the last 24 hours, at most a minute old: the page of traffic and the metrics share them. Rejects with StoreError. */
export function newsOf(record: NewsSource): Promise<TrafficNews> {
  const news = known.get(record) ?? remember(() => readNews(record, Date.now()), newsKeptMs);
  known.set(record, news);
  return news(undefined);
}

/** Reads the news of the 24 hours before `nowMs`. Rejects with StoreError. */
export async function readNews(record: NewsSource, nowMs: number): Promise<TrafficNews> {
  const hours = await record.traffic(nowMs - (spikeDays + 1) * dayMs);
  const isKnown = (hours[0]?.hour ?? nowMs) <= nowMs - dayMs;
  if (!isKnown) return { isKnown, newCrawlers: [], spikes: [] };
  return { isKnown, newCrawlers: await record.newCrawlers(nowMs - dayMs), spikes: findSpikes(hours, nowMs) };
}

/**
 * The spikes of the 24 hours that end with the hour of `nowMs`; crawlers without an entry have none. `hours` are in order and begin seven
 * days earlier; where the record is younger, an hour needs 24 hours of it before.
 */
export function findSpikes(hours: readonly TrafficHour[], nowMs: number): Spike[] {
  const since = toHour(nowMs) - 23 * hourMs;
  const spikes = new Map<string, Spike>();
  for (const now of hours) {
    if (now.hour < since || now.hour - hours[0]!.hour < dayMs) continue;
    // Newest first: most crawlers had as many requests an hour ago, so the search can stop there.
    const earlier = hours.filter(({ hour }) => hour < now.hour && hour >= now.hour - spikeDays * dayMs).reverse();
    for (const [name, requests] of Object.entries(now.names)) {
      if (name === "" || requests < spikeRequests || requests <= (spikes.get(name)?.requests ?? 0)) continue;
      let before = 0;
      for (const { names } of earlier) {
        // An inherited member may have the same name.
        if (Object.hasOwn(names, name)) before = Math.max(before, names[name] ?? 0);
        if (requests < spikeFactor * before) break;
      }
      if (requests >= spikeFactor * before) spikes.set(name, { name, hour: now.hour, requests, before });
    }
  }
  return [...spikes.values()].sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1));
}
