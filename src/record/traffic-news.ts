/** News of the record: new crawlers of the last 24 hours, and hours in which a crawler requested far more than before. */
import type { NewCrawler, Spike, Store } from "./store.ts";
import { hourMs, toHour } from "./traffic.ts";

export interface TrafficNews {
  /** Whether the record is older than 24 hours; if not, the lists are empty. */
  readonly isKnown: boolean;
  /** First seen within 24 hours, the newest first. */
  readonly newCrawlers: readonly NewCrawler[];
  /** Of each crawler the hour with the most requests, the most requests first. */
  readonly spikes: readonly Spike[];
}

export const dayMs = 24 * hourMs;
/** A spike has at least this many requests, and at least this many times as many as any hour of the previous days. */
export const spikeRequests = 100;
export const spikeFactor = 3;
export const spikeDays = 7;

/** Reads the news of the 24 hours before `nowMs`, which end with its hour. Rejects with StoreError. */
export async function readNews(
  store: Pick<Store, "firstHour" | "spikes" | "newCrawlers">,
  nowMs: number,
): Promise<TrafficNews> {
  const first = await store.firstHour(toHour(nowMs) - (spikeDays + 1) * dayMs);
  if (first === undefined || first > nowMs - dayMs) return { isKnown: false, newCrawlers: [], spikes: [] };
  // In a young record, an hour needs 24 hours before it.
  const since = Math.max(toHour(nowMs) - 23 * hourMs, first + dayMs);
  const terms = { since, until: nowMs, requests: spikeRequests, factor: spikeFactor, beforeMs: spikeDays * dayMs };
  const [newCrawlers, spikes] = await Promise.all([store.newCrawlers(nowMs - dayMs), store.spikes(terms)]);
  const names = new Set<string>();
  // The first of each name, because the store returns the largest first.
  return { isKnown: true, newCrawlers, spikes: spikes.filter(({ name }) => !names.has(name) && names.add(name)) };
}
