/**
 * Requests an hour, by what the verdicts say: counted in memory, bounded in every dimension, and told as plain objects.
 * Adding them up over processes and keeping them is a store's work.
 */
import type { Verdict } from "../detect/verdict.ts";
import { type VerificationStatus, verificationStatuses } from "../detect/verification.ts";
import { toOwn } from "./stored-text.ts";

export const hourMs = 3_600_000;
/** Hours older than this leave. */
export const trafficKeptMs = 35 * 24 * hourMs;
/** Hours younger than this are folded again and again, since requests are still added to them. */
export const trafficOpenMs = 3 * hourMs;
/** Values that an hour keeps in each dimension, and that memory holds until they are written. */
const keptValues = 100;
const heldValues = 1000;
/** Hours that wait in memory while a store fails. */
const heldHours = 48;

const dimensions = ["crawler", "category", "purpose", "operator", "name", ...verificationStatuses] as const;
export type TrafficDimension = (typeof dimensions)[number];

/** How many requests of an hour (ms since 1970) had this value. The value "" has those that are not kept one by one. */
export interface TrafficCount {
  readonly hour: number;
  readonly dimension: TrafficDimension;
  /** `true` or `false` of `crawler`; the crawler's name of a verification's status. */
  readonly value: string;
  readonly count: number;
}

type Counts = Readonly<Record<string, number>>;

/** An hour as a reader sees it; the value "" is the sum of all values that are not kept separately. */
export interface TrafficHour {
  /** When it began, in ms since 1970. */
  readonly hour: number;
  /** Requests. */
  readonly crawlers: number;
  readonly people: number;
  /** Requests of crawlers by what is known of them. */
  readonly categories: Counts;
  readonly purposes: Counts;
  readonly operators: Counts;
  readonly names: Counts;
  /** Requests by the crawler's name and what verifying it said. */
  readonly verifications: Readonly<Record<string, Readonly<Partial<Record<VerificationStatus, number>>>>>;
}

/** Counts the requests of this process until they are taken. */
export class TrafficCounter {
  #hour = 0;
  #values = noValues();
  #past: TrafficCount[][] = [];

  /** Counts `times` requests; `now` is the time in ms since 1970. */
  note(verdict: Verdict, now: number, times = 1): void {
    if (now >= this.#hour + hourMs) this.#begin(now);
    this.#add("crawler", String(verdict.crawler), times);
    if (!verdict.crawler) return;
    const { category, purposes, operator, name, verification } = verdict;
    this.#add("category", category, times);
    if (operator !== undefined) this.#add("operator", operator, times);
    if (name !== undefined) this.#add("name", name, times);
    if (verification !== undefined) this.#add(verification.status, name ?? "", times);
    for (const purpose of purposes ?? []) this.#add("purpose", purpose, times);
  }

  /** Whether there are counts that were not taken. */
  get isWaiting(): boolean {
    return this.#values.crawler.size > 0 || this.#past.length > 0;
  }

  #add(dimension: TrafficDimension, value: string, times: number): void {
    const values = this.#values[dimension];
    // Names come from clients, so there may be any number of them.
    const held = values.get(value) ?? (values.size < heldValues ? undefined : values.get(""));
    if (held) held.count += times;
    else values.set(values.size < heldValues ? toOwn(value) : "", { count: times });
  }

  #begin(now: number): void {
    this.#past = [...this.#past, this.#takeHour()].slice(-heldHours);
    this.#hour = toHour(now);
  }

  #takeHour(): TrafficCount[] {
    const counts = dimensions.flatMap((dimension) =>
      [...this.#values[dimension]].map(([value, { count }]) => ({ hour: this.#hour, dimension, value, count })),
    );
    if (counts.length > 0) this.#values = noValues();
    return foldTraffic(counts);
  }

  /** Returns and resets the counts. */
  take(): TrafficCount[] {
    const taken = [...this.#past.flat(), ...this.#takeHour()];
    this.#past = [];
    return taken;
  }
}

/** The hour's beginning. */
export function toHour(timeMs: number): number {
  return Math.floor(timeMs / hourMs) * hourMs;
}

function noValues(): Record<TrafficDimension, Map<string, { count: number }>> {
  const empty = () => new Map<string, { count: number }>();
  const known = { crawler: empty(), category: empty(), purpose: empty(), operator: empty(), name: empty() };
  return { ...known, verified: empty(), spoofed: empty(), unverifiable: empty() };
}

/** Like Map.groupBy, which Node 20 does not have. */
function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The same requests with no more than a hundred values, the most frequent ones, in each hour's dimension; the rest is "". */
export function foldTraffic(counts: readonly TrafficCount[]): TrafficCount[] {
  const groups = groupBy(counts, ({ hour, dimension }) => `${hour} ${dimension}`);
  return [...groups.values()].flatMap((group) => {
    const named = group.filter(({ value }) => value !== "").sort((a, b) => b.count - a.count);
    const rest = [...named.slice(keptValues), ...group.filter(({ value }) => value === "")];
    const count = rest.reduce((sum, each) => sum + each.count, 0);
    return [...named.slice(0, keptValues), ...(rest[0] ? [{ ...rest[0], value: "", count }] : [])];
  });
}

/** The counts as hours, the oldest first; hours without requests are left out. */
export function toTrafficHours(counts: readonly TrafficCount[]): TrafficHour[] {
  const hours = [...groupBy(counts, ({ hour }) => hour)].sort(([a], [b]) => a - b);
  return hours.map(([hour, all]) => {
    const by = groupBy(all, ({ dimension }) => dimension);
    const of = (dimension: TrafficDimension): Counts =>
      Object.fromEntries((by.get(dimension) ?? []).map(({ value, count }) => [value, count]));
    const verified = all.filter(({ dimension }) => (verificationStatuses as readonly string[]).includes(dimension));
    const verifications = [...groupBy(verified, ({ value }) => value)].map(([name, each]) => [
      name,
      Object.fromEntries(each.map(({ dimension, count }) => [dimension, count])),
    ]);
    return {
      hour,
      crawlers: of("crawler").true ?? 0,
      people: of("crawler").false ?? 0,
      categories: of("category"),
      purposes: of("purpose"),
      operators: of("operator"),
      names: of("name"),
      verifications: Object.fromEntries(verifications),
    };
  });
}
