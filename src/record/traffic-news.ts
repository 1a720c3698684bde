/** What is new in the record: crawlers of the last 24 hours, and hours in which a crawler requested far more than before. */
import type { UserAgentRecord } from "./record.ts";
import type { NewCrawler } from "./store.ts";
import { hourMs, type TrafficHour, toHour } from "./traffic.ts";

/** Counts of an hour are too low by its requests that are not counted by name, at most: `requests` is a lower bound, `before` an upper one. */
export interface Spike {
  readonly name: string;
  /** When the hour began, in ms since 1970. */
  readonly hour: number;
  readonly requests: number;
  /** The most requests of an hour in the seven days before. */
  readonly before: number;
  /** Whether both are exact. */
  readonly isExact: boolean;
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
/** A spike has at least so many requests, and so many times as many as any hour of the days before. */
export const spikeRequests = 100;
export const spikeFactor = 3;
export const spikeDays = 7;

/** Reads the news of the 24 hours before `nowMs`. Rejects with StoreError. */
export async function readNews(
  record: Pick<UserAgentRecord, "traffic" | "newCrawlers">,
  nowMs: number,
): Promise<TrafficNews> {
  const hours = await record.traffic(nowMs - (spikeDays + 1) * dayMs);
  const isKnown = (hours[0]?.hour ?? nowMs) <= nowMs - dayMs;
  if (!isKnown) return { isKnown, newCrawlers: [], spikes: [] };
  return { isKnown, newCrawlers: await record.newCrawlers(nowMs - dayMs), spikes: findSpikes(hours, nowMs) };
}

/**
 * The spikes of the 24 hours that end with the hour of `nowMs`. `hours` are in order and begin seven days earlier; where the record is
 * younger, an hour needs 24 hours of it before.
 */
export function findSpikes(hours: readonly TrafficHour[], nowMs: number): Spike[] {
  const [first] = hours;
  if (first === undefined) return [];
  const since = toHour(nowMs) - 23 * hourMs;
  const recent = hours.filter(({ hour }) => hour >= since && hour - first.hour >= dayMs);
  const names = new Set(
    recent.flatMap(({ names }) =>
      Object.entries(names).flatMap(([name, count]) => (name !== "" && count >= spikeRequests ? name : [])),
    ),
  );
  const uncounted = hours.map(({ names }) => names[""] ?? 0);
  const spikes = [...names].flatMap((name): Spike[] => {
    const counts = hours.map(({ names }) => (Object.hasOwn(names, name) ? (names[name] ?? 0) : 0));
    const own = recent.flatMap(({ hour }): Spike[] => {
      const at = hours.findIndex((other) => other.hour === hour);
      const requests = counts[at] ?? 0;
      if (requests < spikeRequests) return [];
      let before = 0;
      let isExact = uncounted[at] === 0;
      for (let other = 0; other < at; other++) {
        if (hours[other]!.hour < hour - spikeDays * dayMs) continue;
        if (uncounted[other]! > 0) isExact = false;
        before = Math.max(before, counts[other]! + uncounted[other]!);
      }
      return requests >= spikeFactor * before ? [{ name, hour, requests, before, isExact }] : [];
    });
    return own.sort((a, b) => b.requests - a.requests).slice(0, 1);
  });
  return spikes.sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1));
}
