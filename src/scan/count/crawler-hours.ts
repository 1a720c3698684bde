/**
 * The requests of each crawler by the hour, in a fixed amount of memory: when it is full, the crawlers with the fewest requests
 * lose their hours. Plain data, as in tally.ts.
 */
import type { CountedRequest } from "./counted-request.ts";
import { sumOf } from "./sums.ts";

/** Hours with requests, in order. Arrays of numbers take a third of the memory of objects, and logs are mostly in chronological order. */
export interface CrawlerHours {
  /** Since 1970, of the zone of the report. */
  readonly hours: number[];
  readonly requests: number[];
  readonly bytes: number[];
  /** The place of the hour that was counted last. */
  last: number;
}

/** A crawler; `hours` is undefined once it has lost them. */
export interface Timed {
  readonly requests: number;
  hours: CrawlerHours | undefined;
}

/** The hours of all crawlers. */
export interface HourRoom {
  used: number;
}

/** Pairs of crawler and hour, of each thread. */
const maxHours = 100_000;
export const hourSeconds = 3600;

export function createCrawlerHours(): CrawlerHours {
  return { hours: [], requests: [], bytes: [], last: 0 };
}

/** Counts the requests of a line by a crawler, one of `all`. */
export function countHour(
  room: HourRoom,
  all: ReadonlyMap<string, Timed>,
  crawler: Timed,
  { at, local, requests, bytes }: CountedRequest,
): void {
  if (!(at >= 0)) return;
  addToHour(room, crawler, Math.floor(local / hourSeconds), requests, bytes);
  dropHours(room, all);
}

/** Counts requests in an hour. */
export function addToHour(room: HourRoom, { hours: all }: Timed, hour: number, requests: number, bytes: number): void {
  if (all === undefined) return;
  if (all.hours[all.last] !== hour) enterHour(room, all, hour);
  all.requests[all.last]! += requests;
  all.bytes[all.last]! += bytes;
}

function enterHour(room: HourRoom, all: CrawlerHours, hour: number): void {
  let [from, to] = [0, all.hours.length];
  if (to > 0 && all.hours[to - 1]! < hour) from = to;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (all.hours[middle]! < hour) from = middle + 1;
    else to = middle;
  }
  all.last = from;
  if (all.hours[from] === hour) return;
  room.used++;
  all.hours.splice(from, 0, hour);
  all.requests.splice(from, 0, 0);
  all.bytes.splice(from, 0, 0);
}

/** Makes room if there is none, dropping many hours at a time, because sorting takes as long as counting thousands of lines. */
export function dropHours(room: HourRoom, all: ReadonlyMap<string, Timed>): void {
  if (room.used <= maxHours) return;
  const ranked = [...all.values()].sort((one, other) => one.requests - other.requests);
  room.used = sumOf(ranked, ({ hours }) => hours?.hours.length ?? 0);
  for (const crawler of ranked) {
    if (room.used <= 0.75 * maxHours) return;
    loseHours(room, crawler);
  }
}

function loseHours(room: HourRoom, crawler: Timed): void {
  room.used -= crawler.hours?.hours.length ?? 0;
  crawler.hours = undefined;
}

/** Adds the hours of a crawler that another thread has counted; if one thread has lost its hours, the sum is unknown, too. */
export function mergeHours(room: HourRoom, crawler: Timed, other: Timed): void {
  if (other.hours === undefined) loseHours(room, crawler);
  for (const [at, hour] of (other.hours?.hours ?? []).entries())
    addToHour(room, crawler, hour, other.hours!.requests[at]!, other.hours!.bytes[at]!);
}
