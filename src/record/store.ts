/**
 * The shape of a recorded string and of a store that keeps them. sql-store.ts implements `Store`; record.ts is responsible for counting,
 * retrying and bounding memory.
 */
import type { Category } from "../detect/categories.ts";
import type { CrawlerFacts, RecordedFact } from "../detect/facts.ts";
import type { TrafficCount, TrafficHour } from "./traffic.ts";

/** A user agent string that was evaluated, with the verdict's facts and how often it was seen. Times are ms since 1970. */
export interface RecordedString extends Partial<Pick<CrawlerFacts, RecordedFact>> {
  /** The string as it came, or its first 2 KiB where `cut` is there. */
  readonly useragent: string;
  readonly cut?: true;
  readonly crawler: boolean;
  readonly name?: string;
  readonly count: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** A crawler by its name, of all its recorded strings. Times are ms since 1970. */
export interface NewCrawler {
  readonly name: string;
  readonly category: Category;
  readonly count: number;
  readonly firstSeen: number;
}

/** How often a crawler was seen, by its name. */
export interface Sighting {
  readonly name: string;
  readonly count: number;
  /** When the last hour with requests began, in ms since 1970; absent if only its strings were counted. */
  readonly lastHour?: number;
}

/** An hour in which a crawler made far more requests than before. */
export interface Spike {
  readonly name: string;
  /** When the hour began, in ms since 1970. */
  readonly hour: number;
  readonly requests: number;
  /** The most requests of an hour in the time before. */
  readonly before: number;
}

/** What makes an hour a spike. Times are ms since 1970. */
export interface SpikeTerms {
  /** When the hour begins: from `since` to `until`. */
  readonly since: number;
  readonly until: number;
  /** At least this many requests, and this many times as many as in any hour of the `beforeMs` before. */
  readonly requests: number;
  readonly factor: number;
  readonly beforeMs: number;
}

/** Which strings to list; absent members do not restrict. */
export interface RecordQuery {
  /** A part of the string; case does not matter. */
  readonly q?: string;
  readonly category?: Category;
  readonly crawler?: boolean;
  /** What comes first: the last seen when absent. Others have one page at most. */
  readonly order?: "count" | "first-seen";
  /** How many of the matching strings to skip, and how many to list. */
  readonly offset?: number;
  readonly limit?: number;
}

/** The strings of one write. Each is there once. */
export interface Batch {
  /** Higher than that of the batch before it; a batch whose answer was lost is sent again with the same id. */
  readonly id: number;
  readonly rows: readonly RecordedString[];
  readonly traffic: readonly TrafficCount[];
}

/** The limits of a store. */
export interface Retention {
  /** Maximum number of distinct strings; the least recently seen are removed first. */
  readonly limit: number;
  /** Strings last seen before this time are removed. In ms since 1970. */
  readonly before?: number;
  /** Traffic of hours before this time is removed. In ms since 1970. */
  readonly trafficBefore: number;
}

/** Where a page begins: at the n-th string, or where the page before it ended. Only the store can interpret a cursor. */
export type PageStart = number | { readonly cursor: unknown };

export interface Page {
  readonly rows: readonly RecordedString[];
  /** Absent on the last page. */
  readonly next?: PageStart;
}

/** Most strings of one batch, and of one page. */
export const batchRows = 250;
export const pageRows = 250;
/** Most rows that a page with a filter looks at, so that no page takes long. Such a page may be empty. */
export const scannedRows = 5000;
/** A limit on new crawlers, because anyone can invent names. */
export const newCrawlersLimit = 1000;
/** Strings that match a filter are counted in records of up to this many strings. */
export const countedRows = 10_000;

/** A place that keeps recorded strings. Every method but `close` may reject with StoreError. */
export interface Store {
  /** Connects, and makes the tables where there are none. May be called again at any time, also by many processes at once. */
  open(): Promise<void>;
  /** Adds the batch's counts to those it has, in one transaction and only once. */
  write(batch: Batch): Promise<void>;
  /** Removes strings beyond the limits; resolves to the number of strings removed for the maximum number. */
  tidy(retention: Retention): Promise<number>;
  /**
   * Up to `most` strings in the order of the query; nothing is held between pages, and reading never delays writing. A number
   * as `start` skips strings of the whole record, so it is 0 if the query has a filter. `offset` and `limit` of the
   * query are not read.
   */
  page(query: RecordQuery, start: PageStart, most: number): Promise<Page>;
  /** How many strings match; undefined if a filter would have to look at more than `countedRows`. */
  count(query: RecordQuery): Promise<number | undefined>;
  /** Crawlers none of whose strings was seen before `since`, the newest first, and `newCrawlersLimit` at most. */
  newCrawlers(since: number): Promise<readonly NewCrawler[]>;
  /**
   * What was counted in the hours from `since` to before `until`, in no order: the dimension `crawler` by hour; of the others the sums of all
   * hours, and `since` is their hour.
   */
  traffic(since: number, until: number): Promise<readonly TrafficCount[]>;
  /** The first hour from `since` on in which something was counted. */
  firstHour(since: number): Promise<number | undefined>;
  /** Crawlers that were counted by name in the hours from `since` on, by name. */
  sightings(since: number): Promise<readonly Sighting[]>;
  /** The requests of such a crawler in the hours from `since` on, the oldest first. */
  hoursOf(name: string, since: number): Promise<readonly TrafficHour[]>;
  /** Hours of such crawlers, the most requests first. */
  spikes(terms: SpikeTerms): Promise<readonly Spike[]>;
  close(): Promise<void>;
}

/** Whether the query restricts the strings at all. */
export function isFiltered({ q = "", category, crawler }: RecordQuery): boolean {
  return q !== "" || category !== undefined || crawler !== undefined;
}

/** Says what happened, for the operator's log; never carries a user agent string. */
export type Log = (level: "info" | "warn" | "error", message: string) => void;

/** A store's failure. Its message is for operators and carries no credentials. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}
