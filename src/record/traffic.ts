/**
 * Requests an hour, by what the verdicts say: counted in memory, bounded in every dimension. Summing them over processes
 * and storing them is the store's job.
 */
import { entryOf } from "../detect/matched-entry.ts";
import type { Verdict } from "../detect/verdict.ts";
import { verificationStatuses } from "../detect/verification.ts";
import type { Writable } from "../text/writable.ts";
import { copyString, toStored } from "./stored-text.ts";

export const hourMs = 3_600_000;
/** Hours older than this are removed. */
export const trafficKeptMs = 35 * 24 * hourMs;
/** How many values of each dimension a process counts individually per hour: the first ones seen. */
const countedValues = 100;
/**
 * From as many requests in the hour as a spike has, a name is counted individually, too, up to this many names: anyone can send the
 * catalogue's names, and each makes the file longer and reading the news slower.
 */
const countedNames = 300;
const frequentRequests = 100;
/** How many hours are held in memory while a store fails. */
const heldHours = 48;

const dimensions = ["crawler", "category", "purpose", "operator", "name", ...verificationStatuses] as const;
export type TrafficDimension = (typeof dimensions)[number];

/** How many requests of an hour (ms since 1970) had this value. The value "" has those that are not counted one by one. */
export interface TrafficCount {
  readonly hour: number;
  readonly dimension: TrafficDimension;
  /** `true` or `false` of `crawler`; the crawler's name of a verification's status. */
  readonly value: string;
  readonly count: number;
}

/** The requests of an hour. */
export interface TrafficHour {
  /** When it began, in ms since 1970. */
  readonly hour: number;
  readonly crawlers: number;
  readonly people: number;
}

/** The requests of a span of time. */
export interface TrafficSums {
  /** The oldest first; hours without requests are left out. */
  readonly hours: readonly TrafficHour[];
  /** By dimension and value; the value "" is the sum of all values that are not counted one by one. */
  readonly sums: Readonly<Record<TrafficDimension, ReadonlyMap<string, number>>>;
}

/** Counts the requests of this process until they are taken. */
export class TrafficCounter {
  readonly #hasEntry: (name: string) => boolean;
  #hour = 0;
  /** Values of the hour, with what was counted since they were taken. */
  #values = noValues();
  /** The requests of the hour by the other names. */
  #others = new Map<string, number>();
  #past: TrafficCount[][] = [];

  /** `hasEntry`: whether the catalogue has an entry for a name. Other names come from clients: there may be any number of them. */
  constructor(hasEntry: (name: string) => boolean) {
    this.#hasEntry = hasEntry;
  }

  /** Counts a request; `now` is the time in ms since 1970. */
  note(verdict: Verdict, now: number): void {
    if (now >= this.#hour + hourMs) this.#begin(now);
    this.#add("crawler", String(verdict.crawler));
    if (!verdict.crawler) return;
    const { category, purposes = [], operator, verification } = verdict;
    const entry = entryOf(verdict);
    const name = entry !== undefined && this.#hasEntry(entry) ? entry : "";
    this.#add("category", category);
    this.#add("name", name);
    if (operator !== undefined) this.#add("operator", name === "" ? "" : operator);
    if (verification !== undefined) this.#add(verification.status, name);
    for (const purpose of purposes) this.#add("purpose", purpose);
  }

  /** Whether there are counts that were not taken. */
  get isWaiting(): boolean {
    return this.#past.length > 0 || [...this.#values.crawler.values()].some((count) => count > 0);
  }

  #add(dimension: TrafficDimension, value: string): void {
    const values = this.#values[dimension];
    const counted = values.get(value);
    if (counted !== undefined) values.set(value, counted + 1);
    else if (values.size < countedValues || (dimension === "name" && this.#isFrequent(value))) {
      const stored = copyString(toStored(value));
      values.set(stored, (values.get(stored) ?? 0) + 1);
    } else values.set("", (values.get("") ?? 0) + 1);
  }

  /** Counts a request with a name that is not counted individually. */
  #isFrequent(name: string): boolean {
    const count = (this.#others.get(name) ?? 0) + 1;
    this.#others.set(count === 1 ? copyString(name) : name, count);
    return name !== "" && count >= frequentRequests && this.#values.name.size < countedNames;
  }

  #begin(now: number): void {
    this.#past = [...this.#past, this.#takeHour()].filter((counts) => counts.length > 0).slice(-heldHours);
    this.#hour = toHour(now);
    this.#values = noValues();
    this.#others = new Map();
  }

  #takeHour(): TrafficCount[] {
    const taken: TrafficCount[] = [];
    for (const dimension of dimensions) {
      for (const [value, count] of this.#values[dimension]) {
        if (count === 0) continue;
        taken.push({ hour: this.#hour, dimension, value, count });
        this.#values[dimension].set(value, 0);
      }
    }
    return taken;
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

function noValues(): Readonly<Record<TrafficDimension, Map<string, number>>> {
  const empty = () => new Map<string, number>();
  const known = { crawler: empty(), category: empty(), purpose: empty(), operator: empty(), name: empty() };
  return { ...known, verified: empty(), spoofed: empty(), unverifiable: empty() };
}

/** The sums of counts, of which there is one for each value but those of `crawler`. */
export function toTrafficSums(counts: readonly TrafficCount[]): TrafficSums {
  const hours = new Map<number, Writable<TrafficHour>>();
  const sums = noValues();
  for (const { hour, dimension, value, count } of counts) {
    sums[dimension].set(value, (sums[dimension].get(value) ?? 0) + count);
    if (dimension !== "crawler") continue;
    const sum = hours.get(hour) ?? { hour, crawlers: 0, people: 0 };
    hours.set(hour, sum);
    sum[value === "true" ? "crawlers" : "people"] = count;
  }
  return { hours: [...hours.values()].sort((a, b) => a.hour - b.hour), sums };
}
