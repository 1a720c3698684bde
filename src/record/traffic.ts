/**
 * Requests an hour, by what the verdicts say: counted in memory, bounded in every dimension, and returned as plain objects.
 * Summing them over processes and storing them is the store's job.
 */
import { entryOf } from "../detect/matched-entry.ts";
import type { Verdict } from "../detect/verdict.ts";
import { type VerificationStatus, verificationStatuses } from "../detect/verification.ts";
import { copyString, toStored } from "./stored-text.ts";

export const hourMs = 3_600_000;
/** Hours older than this are removed. */
export const trafficKeptMs = 35 * 24 * hourMs;
/** How many values of each dimension a process counts individually per hour: the first ones seen. */
const countedValues = 100;
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

type Counts = Readonly<Record<string, number>>;

/** An hour as a reader sees it; the value "" is the sum of all values that are not counted one by one. */
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
  readonly #hasEntry: (name: string) => boolean;
  #hour = 0;
  /** Values of the hour, with what was counted since they were taken. */
  #values = noValues();
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
    else if (values.size < countedValues) {
      const stored = copyString(toStored(value));
      values.set(stored, (values.get(stored) ?? 0) + 1);
    } else values.set("", (values.get("") ?? 0) + 1);
  }

  #begin(now: number): void {
    this.#past = [...this.#past, this.#takeHour()].filter((counts) => counts.length > 0).slice(-heldHours);
    this.#hour = toHour(now);
    this.#values = noValues();
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

const memberOf = { category: "categories", purpose: "purposes", operator: "operators", name: "names" } as const;

/** The counts as hours, the oldest first; hours without requests are left out. */
export function toTrafficHours(counts: readonly TrafficCount[]): TrafficHour[] {
  const hours = new Map<number, ReturnType<typeof noRequests>>();
  for (const { hour, dimension, value, count } of counts) {
    const sum = hours.get(hour) ?? noRequests(hour);
    hours.set(hour, sum);
    if (dimension === "crawler") sum[value === "true" ? "crawlers" : "people"] = count;
    else if (dimension in memberOf) put(sum[memberOf[dimension as keyof typeof memberOf]], value, count);
    else {
      const known = Object.hasOwn(sum.verifications, value) ? sum.verifications[value] : {};
      put(sum.verifications, value, { ...known, [dimension]: count });
    }
  }
  return [...hours.values()].sort((a, b) => a.hour - b.hour);
}

function noRequests(hour: number) {
  const none = { crawlers: 0, people: 0, categories: {}, purposes: {}, operators: {}, names: {} };
  return { hour, ...none, verifications: {} as Record<string, object> };
}

/** Names may be those of inherited members, such as `__proto__`, which an assignment would take for something else. */
function put(counts: object, name: string, value: unknown): void {
  Object.defineProperty(counts, name, { value, enumerable: true, writable: true, configurable: true });
}
