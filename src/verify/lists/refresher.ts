/**
 * Keeps the operators' lists of addresses up to date: asks for each about daily, one at a time, and only for what has changed.
 * A list that cannot be read, or that changes beyond belief, is refused and reported, and the last good one stays.
 */

import { type Prefix, toPrefix, toPrefixText } from "../../address/prefix.ts";
import type { RangeFormat } from "../../detect/verification.ts";
import type { Get } from "../https-get.ts";
import { validMs } from "./operator-lists.ts";
import { parseRanges } from "./parse-ranges.ts";
import type { RangeStore, StoredList, StoredPart } from "./range-store.ts";

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

export interface Refresher {
  /** Refreshes each list soon and then daily, until `stop`. Holds no process open. */
  start(): void;
  stop(): void;
  /** Takes stored lists that are newer, without any request. */
  adopt(): Promise<void>;
  /** Refreshes one list now, by the id of its proof. Never rejects: `states` tells how it went. */
  refresh(id: string): Promise<void>;
  states(): ListState[];
}

/** Where a list is published: one of a proof, or of a network. */
export interface RefreshedSource {
  readonly id: string;
  readonly ranges?: readonly { readonly url: string; readonly format: RangeFormat }[] | undefined;
}

/** The lists that are replaced. */
export interface RefreshedLists {
  find(id: string): { readonly size: number; readonly asOf: number } | undefined;
  replace(id: string, prefixes: readonly Prefix[], asOf: number): void;
  /** Makes what a request needs of a list, so that no request has to wait for it. */
  prepare(id: string): void;
}

export interface RefresherOptions {
  readonly sources: readonly RefreshedSource[];
  readonly lists: RefreshedLists;
  /** Reads a list, in steps of milliseconds if it may be long. Default: as lists of crawlers' operators. */
  readonly read?: (text: string, format: RangeFormat, turn: () => Promise<void>) => Promise<readonly Prefix[]>;
  /** The most bytes of a list. Default: 8 MB. */
  readonly maxBytes?: number;
  readonly get: Get;
  readonly store: RangeStore;
  readonly now: () => number;
  /** From 0 to 1; spreads what many services ask at one time. */
  readonly random: () => number;
  readonly report: (text: string) => void;
  /** Counted up; several refreshers may share it. */
  readonly counts?: RefreshCounts;
}

/** The longest lists take tens of milliseconds; requests are answered between their steps. */
const letOthersGo = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const limits = { timeoutMs: 30_000, maxRedirects: 3 };
/** A list may change by this factor at a time, counted from at least `smallest` prefixes. */
const mostChange = 10;
const smallest = 10;
const mostPrefixes = 200_000;

/** Makes a refresher of the sources that have lists. */
export function createRefresher(options: RefresherOptions): Refresher {
  const { lists, store, now, random, report, counts = { refreshed: 0, failed: 0 } } = options;
  const sources = options.sources.filter(({ ranges }) => ranges !== undefined);
  const problems = new Map<string, string>();
  const dueAt = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = true;
  let isToldOfStore = false;

  async function refreshSource(source: RefreshedSource): Promise<void> {
    const { id } = source;
    try {
      const stored = await adopt(id);
      if (stored === undefined || stored.asOf + dayMs / 2 < now()) {
        const fetched = await fetchList(source, stored, options);
        const prefixes = toPrefixes(fetched);
        refuseChange(lists.find(id)?.size, prefixes.length);
        lists.replace(id, prefixes, fetched.asOf);
        await letOthersGo();
        // Made here, so that no request has to wait for it.
        lists.prepare(id);
        counts.refreshed++;
        await keep(id, fetched);
      }
      problems.delete(id);
      dueAt.set(id, now() + dayMs * (0.9 + random() / 5));
    } catch (error) {
      const why = messageOf(error);
      counts.failed++;
      problems.set(id, why);
      report(`the addresses of ${id} could not be refreshed; the last good list stays in use: ${why}`);
      dueAt.set(id, now() + minuteMs * (30 + random() * 60));
    }
  }

  /** A folder that cannot be written is reported once; the list itself is valid until the next start. */
  async function keep(id: string, fetched: StoredList): Promise<void> {
    try {
      await store.write(id, fetched);
    } catch (error) {
      if (!isToldOfStore) report(`the addresses of operators cannot be kept for the next start: ${messageOf(error)}`);
      isToldOfStore = true;
    }
  }

  /** Takes the stored list where it is newer than the one in use: of the last run, or of another process. */
  async function adopt(id: string): Promise<StoredList | undefined> {
    const stored = await store.read(id);
    if (stored !== undefined && stored.asOf > (lists.find(id)?.asOf ?? 0))
      lists.replace(id, toPrefixes(stored), stored.asOf);
    return stored;
  }

  async function refreshDue(): Promise<void> {
    const due = sources.find(({ id }) => (dueAt.get(id) ?? 0) <= now());
    if (due !== undefined) await refreshSource(due);
    schedule();
  }

  function schedule(): void {
    if (isStopped) return;
    const next = Math.min(...dueAt.values());
    // A short pause, even if more lists are due, so that requests are answered.
    timer = setTimeout(refreshDue, Math.min(Math.max(next - now(), 200), dayMs));
    timer.unref();
  }

  return {
    start() {
      isStopped = false;
      for (const { id } of sources) {
        // Spread, but not lists that are too old to verify anything.
        const isOld = (lists.find(id)?.asOf ?? 0) + validMs < now();
        dueAt.set(id, now() + minuteMs * (isOld ? random() / 10 : 0.1 + random() * 5));
        adopt(id).catch(() => {});
      }
      schedule();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    async adopt() {
      for (const { id } of sources) await adopt(id);
    },
    async refresh(id) {
      const source = sources.find((source) => source.id === id);
      if (source !== undefined) await refreshSource(source);
    },
    states: () =>
      sources.map(({ id }) => {
        const list = lists.find(id);
        return { id, asOf: list?.asOf, prefixes: list?.size ?? 0, problem: problems.get(id) };
      }),
  };
}

const mostNamed = 3;

/** Says which lists could not be refreshed, and why; of many, the first. */
export function toWarnings(states: readonly ListState[]): string[] {
  const failed = states.filter(({ problem }) => problem !== undefined);
  const named = failed.slice(0, mostNamed).map(({ id, asOf, problem }) => {
    const age = asOf === undefined ? "none yet" : `as of ${new Date(asOf).toISOString().slice(0, 10)}`;
    return `the addresses of ${id} (${age}) could not be refreshed: ${problem}`;
  });
  const more = failed.length - named.length;
  return more > 0 ? [...named, `the addresses of ${more} more lists could not be refreshed`] : named;
}

async function fetchList(
  source: RefreshedSource,
  stored: StoredList | undefined,
  { get, now, read = readAtOnce, maxBytes = 8_000_000 }: RefresherOptions,
): Promise<StoredList> {
  const parts: StoredPart[] = [];
  for (const { url, format } of source.ranges ?? []) {
    const before = stored?.parts.find((part) => part.url === url);
    const document = await get(url, conditionsOf(before), { ...limits, maxBytes });
    if (document.status === 304 && before !== undefined) {
      parts.push(before);
      continue;
    }
    if (document.status !== 200) throw new Error(`${url} answers with ${document.status}`);
    const etag = document.header("etag");
    const lastModified = document.header("last-modified");
    parts.push({
      url,
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
      prefixes: await toTexts(await read(document.body, format, letOthersGo)),
    });
    await letOthersGo();
  }
  return { asOf: now(), parts };
}

const readAtOnce: RefresherOptions["read"] & object = async (text, format) => parseRanges(text, format);

async function toTexts(prefixes: readonly Prefix[]): Promise<string[]> {
  await letOthersGo();
  return prefixes.map(toPrefixText);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** RFC 9110 §13.1: requests only changes. */
function conditionsOf(before: StoredPart | undefined): Record<string, string> {
  return {
    ...(before?.etag !== undefined && { "if-none-match": before.etag }),
    ...(before?.lastModified !== undefined && { "if-modified-since": before.lastModified }),
  };
}

function toPrefixes({ parts }: StoredList): Prefix[] {
  return parts.flatMap(({ prefixes }) => prefixes.flatMap((text) => toPrefix(text) ?? []));
}

/** Otherwise an operator's mistake, or an attack on the operator, would lock its crawler out or let every client in. */
function refuseChange(before: number | undefined, after: number): void {
  if (after > mostPrefixes) throw new Error(`it has ${after} prefixes`);
  if (before === undefined) return;
  if (after > mostChange * Math.max(before, smallest)) throw new Error(`it grows from ${before} to ${after} prefixes`);
  if (after * mostChange < before) throw new Error(`it shrinks from ${before} to ${after} prefixes`);
}
