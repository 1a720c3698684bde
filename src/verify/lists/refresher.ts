/**
 * Keeps lists of addresses up to date: requests each about once a day, one at a time, and only if it has changed. A list that cannot
 * be parsed is refused and reported, and the last good one stays in use; so is one that changes implausibly, until the change has persisted.
 */

import { mapInSteps } from "../../address/lists-in-steps.ts";
import { type Prefix, toPrefix, toPrefixText } from "../../address/prefix.ts";
import type { RangeSource } from "../../detect/verification.ts";
import { inSlices } from "../../http/event-loop-turns.ts";
import { toMessage } from "../../text/errors.ts";
import type { Get } from "../https-get.ts";
import { validMs } from "./operator-lists.ts";
import { type ListRules, maxPrefixes, readRanges } from "./parse-ranges.ts";
import type { RangeStore, Refusal, StoredList, StoredPart } from "./range-store.ts";

/** How a list is. */
export interface ListState {
  readonly id: string;
  /** When it was last known to be right, in milliseconds; undefined if there is no list yet. */
  readonly asOf: number | undefined;
  readonly prefixes: number;
  /** Why it could not be refreshed the last time; undefined if it could, or was not tried. */
  readonly problem: string | undefined;
}

/** How often lists were refreshed, and how often that failed. */
export interface RefreshCounts {
  refreshed: number;
  failed: number;
}

/** Where a list is published: one of a proof, or of a network. */
export interface RefreshedSource {
  readonly id: string;
  readonly ranges?: readonly RangeSource[] | undefined;
}

/** The lists that are replaced. */
export interface RefreshedLists {
  find(id: string): { readonly size: number; readonly asOf: number } | undefined;
  replace(id: string, prefixes: readonly Prefix[], asOf: number): void;
  /** Makes what a request needs of a list in steps, so that no request has to wait for it. */
  prepare(id: string): Generator<undefined, void>;
}

export interface RefresherOptions {
  readonly sources: readonly RefreshedSource[];
  readonly lists: RefreshedLists;
  /** Default: of lists of crawlers' operators. */
  readonly rules?: ListRules;
  /** The most bytes of a list. Default: 8 MB. */
  readonly maxBytes?: number;
  readonly get: Get;
  readonly store: RangeStore;
  readonly now: () => number;
  /** From 0 to 1; spreads what many services ask at one time. */
  readonly random: () => number;
  readonly report: (text: string) => void;
  /** Incremented; several refreshers may share it. */
  readonly counts: RefreshCounts;
}

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
/** The longest time between two refreshes. */
const maxPauseMs = 1.1 * dayMs;
const limits = { timeoutMs: 30_000, maxRedirects: 3 };
/** A list may change by this factor at a time, counted from at least `smallest` prefixes. */
const maxChange = 10;
const smallest = 10;
/** A list that has changed more is accepted when its publisher has served it for this long, because a mistake would be corrected by then. */
const refusedMs = 3 * dayMs;

/** Refreshes the lists of the sources that have some. */
export class Refresher {
  readonly #options: RefresherOptions;
  readonly #sources: readonly RefreshedSource[];
  readonly #problems = new Map<string, string>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #dueAt = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = true;
  #isToldOfStore = false;

  constructor(options: RefresherOptions) {
    this.#options = options;
    this.#sources = options.sources.filter(({ ranges }) => ranges !== undefined);
  }

  /** Refreshes each list soon and then daily, until `stop`. Does not keep the process alive. */
  start(): void {
    const { lists, now, random } = this.#options;
    this.#isStopped = false;
    for (const { id } of this.#sources) {
      // Spreads the requests over time, except for lists that are too old to verify anything.
      const isOld = (lists.find(id)?.asOf ?? 0) + validMs < now();
      this.#dueAt.set(id, now() + minuteMs * (isOld ? random() / 10 : 0.1 + random() * 5));
      this.#adopt(id).catch(() => {});
    }
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Takes stored lists that are newer, without any request. */
  async adopt(): Promise<void> {
    for (const { id } of this.#sources) await this.#adopt(id);
  }

  /** Refreshes one list now, by the id of its proof, without a report. Returns why that failed; never rejects. */
  async refresh(id: string): Promise<string | undefined> {
    const source = this.#sources.find((source) => source.id === id);
    return source && this.#refresh(source);
  }

  states(): ListState[] {
    return this.#sources.map(({ id }) => {
      const list = this.#options.lists.find(id);
      return { id, asOf: list?.asOf, prefixes: list?.size ?? 0, problem: this.#problems.get(id) };
    });
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const { now, report } = this.#options;
    const refreshDue = async () => {
      // The clock may have gone back.
      for (const [id, dueAt] of this.#dueAt) this.#dueAt.set(id, Math.min(dueAt, now() + maxPauseMs));
      const due = this.#sources.find(({ id }) => (this.#dueAt.get(id) ?? 0) <= now());
      const why = due && (await this.#refresh(due));
      if (why !== undefined)
        report(`the addresses of ${due!.id} could not be refreshed; the last good list stays in use: ${why}`);
      this.#schedule();
    };
    // A short pause, even if more lists are due, so that requests are answered.
    const pauseMs = Math.max(Math.min(...this.#dueAt.values()) - now(), 200);
    this.#timer = setTimeout(refreshDue, Math.min(pauseMs, dayMs));
    this.#timer.unref();
  }

  async #refresh(source: RefreshedSource): Promise<string | undefined> {
    const { id } = source;
    const { now, random, counts } = this.#options;
    try {
      const stored = await this.#adopt(id);
      if (stored === undefined || stored.asOf + dayMs / 2 < now()) {
        await this.#replace(id, await fetchList(source, stored, this.#options), stored);
        counts.refreshed++;
      }
      this.#problems.delete(id);
      this.#dueAt.set(id, now() + dayMs * (0.9 + random() / 5));
      return undefined;
    } catch (error) {
      const why = toMessage(error);
      counts.failed++;
      this.#problems.set(id, why);
      this.#dueAt.set(id, now() + minuteMs * (30 + random() * 60));
      return why;
    }
  }

  async #replace(id: string, fetched: StoredList, stored: StoredList | undefined): Promise<void> {
    const { lists, now } = this.#options;
    const prefixes = await inSlices(toPrefixes(fetched));
    const size = prefixes.length;
    if (size > maxPrefixes) throw new Error(`it has ${size} prefixes`);
    const before = lists.find(id)?.size ?? size;
    const refusal = toRefusal(before, size, this.#refusals.get(id), now());
    if (refusal !== undefined) {
      this.#refusals.set(id, refusal);
      await this.#keep(id, { asOf: 0, parts: [], ...stored, refused: refusal });
      const end = new Date(refusal.since + refusedMs).toISOString().slice(0, 16);
      const change = `it ${size > before ? "grows" : "shrinks"} from ${before} to ${size} prefixes`;
      throw new Error(`${change}; a list of about this size is accepted from ${end}Z on`);
    }
    this.#take(id, prefixes, fetched.asOf);
    await inSlices(lists.prepare(id));
    await this.#keep(id, fetched);
  }

  /** Takes the stored list where it is newer than the one in use: of the last run, or of another process. */
  async #adopt(id: string): Promise<StoredList | undefined> {
    const { store, now } = this.#options;
    const read = await store.read(id);
    if (read === undefined) return undefined;
    // After the clock went back, a time of the future would count for ever; it is stored as that of now.
    const refused = read.refused && { ...read.refused, since: Math.min(read.refused.since, now()) };
    const stored = { ...read, asOf: Math.min(read.asOf, now()), ...(refused && { refused }) };
    if (stored.asOf < read.asOf || (refused && refused.since < read.refused!.since)) await this.#keep(id, stored);
    const isNewer = (): boolean => stored.asOf > (this.#options.lists.find(id)?.asOf ?? 0);
    if (isNewer()) {
      const prefixes = await inSlices(toPrefixes(stored));
      // Another may have been taken meanwhile.
      if (isNewer()) this.#take(id, prefixes, stored.asOf);
    }
    if (stored.refused !== undefined) this.#refusals.set(id, stored.refused);
    return stored;
  }

  #take(id: string, prefixes: readonly Prefix[], asOf: number): void {
    this.#options.lists.replace(id, prefixes, asOf);
    this.#refusals.delete(id);
  }

  /** A folder that cannot be written is reported once; the list itself is valid until the next start. */
  async #keep(id: string, list: StoredList): Promise<void> {
    const { store, report } = this.#options;
    try {
      await store.write(id, list);
    } catch (error) {
      if (!this.#isToldOfStore)
        report(`the operators' addresses cannot be saved for the next start: ${toMessage(error)}`);
      this.#isToldOfStore = true;
    }
  }
}

const maxNamed = 3;

/** Says which lists could not be refreshed, and why; of many, the first. */
export function toWarnings(states: readonly ListState[]): string[] {
  const failed = states.filter(({ problem }) => problem !== undefined);
  const named = failed.slice(0, maxNamed).map(({ id, asOf, problem }) => {
    const age = asOf === undefined ? "none yet" : `as of ${new Date(asOf).toISOString().slice(0, 10)}`;
    return `the addresses of ${id} (${age}) could not be refreshed: ${problem}`;
  });
  const more = failed.length - named.length;
  return more > 0 ? [...named, `the addresses of ${more} more lists could not be refreshed`] : named;
}

async function fetchList(
  source: RefreshedSource,
  stored: StoredList | undefined,
  { get, now, rules, maxBytes = 8_000_000 }: RefresherOptions,
): Promise<StoredList> {
  const parts: StoredPart[] = [];
  for (const range of source.ranges ?? []) {
    const { url, format, at } = range;
    const before = stored?.parts.find((part) => part.url === url && part.at === at);
    // Some operators answer with XML unless they are asked for JSON.
    const accept = format === "json" && { accept: "application/json" };
    const document = await get(url, { ...accept, ...conditionsOf(before) }, { ...limits, maxBytes });
    if (document.status === 304 && before !== undefined) {
      parts.push(before);
      continue;
    }
    if (document.status !== 200) throw new Error(`${url} responded with status ${document.status}`);
    const prefixes = await inSlices(readTexts(document.body, range, rules));
    parts.push({ url, at, etag: document.header("etag"), lastModified: document.header("last-modified"), prefixes });
  }
  return { asOf: now(), parts };
}

/** RFC 9110 §13.1: requests only changes. */
function conditionsOf(before: StoredPart | undefined): Record<string, string> {
  return {
    ...(before?.etag !== undefined && { "if-none-match": before.etag }),
    ...(before?.lastModified !== undefined && { "if-modified-since": before.lastModified }),
  };
}

function* readTexts(body: string, range: RangeSource, rules: ListRules | undefined): Generator<undefined, string[]> {
  return yield* mapInSteps(yield* readRanges(body, range, rules), toPrefixText);
}

function* toPrefixes({ parts }: StoredList): Generator<undefined, Prefix[]> {
  const prefixes: (Prefix | undefined)[] = [];
  for (const part of parts) for (const prefix of yield* mapInSteps(part.prefixes, toPrefix)) prefixes.push(prefix);
  return prefixes.filter((prefix) => prefix !== undefined);
}

/**
 * Refuses a change that is too great: an operator's mistake, or an attack on the operator, would lock its crawler out or let every
 * client in. Undefined if the list is accepted, else the first refused list of about its size.
 */
function toRefusal(before: number, size: number, first: Refusal | undefined, now: number): Refusal | undefined {
  if (isAbout(before, size)) return undefined;
  const refusal = first !== undefined && isAbout(first.size, size) ? first : { since: now, size };
  return refusal.since + refusedMs <= now ? undefined : refusal;
}

function isAbout(before: number, size: number): boolean {
  return size <= maxChange * Math.max(before, smallest) && size * maxChange >= before;
}
