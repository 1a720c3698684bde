/**
 * Counts how the requests with each browser string behave, for the strings with the most requests. Plain data, as tally.ts;
 * browsers-report.ts says which of them behave like programs.
 */

import { findClient } from "../lines/client-address.ts";
import { field } from "../lines/line.ts";
import { isBlank } from "../lines/read-fields.ts";
import { isAsset } from "./assets.ts";
import type { CountedRequest } from "./counted-request.ts";
import { addDistinct, createDistinctCount, type DistinctCount, mergeDistinct } from "./distinct-count.ts";
import { dropRare, type FrequentCounts, raiseMissing } from "./frequent-counts.ts";
import { addNumbers } from "./sums.ts";

/** Requests by the fields of their lines. A line that lacks a field counts in `requests` alone. */
export interface Behavior {
  requests: number;
  /** With an address. */
  located: number;
  /** Requests with a path, and those of them for images, styles, scripts and fonts. */
  withPath: number;
  assets: number;
  /** Requests in lines that have a referrer field, and those of them with a referrer. */
  referable: number;
  withReferrer: number;
  /** By the hour of the day, in the zone of the report. */
  readonly hours: number[];
  /** Seconds since 1970; `first` is Infinity where no line had a time. */
  first: number;
  last: number;
}

/** The counts of one string. */
export interface StringCounts extends Behavior {
  readonly addresses: DistinctCount;
  /** The maximum number of requests that were not counted, because the string was not among the most frequent ones at the time. */
  missed: number;
  /** Whether it is no longer counted here. */
  isDropped: boolean;
}

/** The counts of the most frequent strings; `dropped` has the sums of the other ones. */
export interface BrowserStrings extends FrequentCounts<string, StringCounts> {
  readonly dropped: Behavior;
}

/** A string of a browser and its counts; `counts` may have been dropped. */
export interface BrowserString {
  readonly useragent: string;
  counts: StringCounts;
}

/** How many strings are kept when there are more than twice as many: a string with more than 1 in 2,000 requests is always counted. */
const keptStrings = 2000;

export function createBrowserStrings(): BrowserStrings {
  return { counts: new Map(), dropped: createBehavior(), floor: 0 };
}

export function createBehavior(): Behavior {
  return {
    requests: 0,
    located: 0,
    withPath: 0,
    assets: 0,
    referable: 0,
    withReferrer: 0,
    hours: new Array<number>(24).fill(0),
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
  };
}

/** The products in strings of browsers, besides comments. A string with any other product is an app's and is not judged. */
const products =
  /^(?:Mozilla|AppleWebKit|Chrome|Safari|Version|Mobile|Gecko|Firefox|Edge?|Edg[A-Za-z]{1,3}|OPR|OPT|CriOS|FxiOS|SamsungBrowser|Vivaldi|YaBrowser|like)$/;
/** No browser sends longer strings. */
const maxStringLength = 512;
/** The mark of Android's web views, which apps use. */
const webView = "; wv)";

/** Whether a string is written as browsers write theirs, without the product of an app. */
export function isBrowserString(useragent: string): boolean {
  if (!useragent.startsWith("Mozilla/") || useragent.length > maxStringLength || useragent.includes(webView))
    return false;
  if (!useragent.includes("(")) return false;
  return useragent
    .replaceAll(/\([^()]*\)/g, "")
    .split(" ")
    .every((product) => product === "" || products.test(product.split("/", 1)[0]!));
}

/** The string `useragent`, which is counted from now on. */
export function browserStringOf(strings: BrowserStrings, useragent: string): BrowserString {
  return { useragent, counts: enter(strings, useragent) };
}

function enter(strings: BrowserStrings, useragent: string): StringCounts {
  const known = strings.counts.get(useragent);
  if (known !== undefined) return known;
  const counts = createCounts(strings.floor);
  strings.counts.set(useragent, counts);
  if (strings.counts.size > 2 * keptStrings) dropStrings(strings);
  return counts;
}

function createCounts(missed: number): StringCounts {
  return { ...createBehavior(), addresses: createDistinctCount(), missed, isDropped: false };
}

function dropStrings(strings: BrowserStrings): void {
  for (const [, counts] of dropRare(strings, keptStrings, ({ requests, missed }) => requests + missed)) {
    counts.isDropped = true;
    addNumbers(strings.dropped, counts);
  }
}

/** Counts the requests of a line. */
export function countBrowser(
  strings: BrowserStrings,
  browser: BrowserString,
  { line, requests, at, local }: Pick<CountedRequest, "line" | "requests" | "at" | "local">,
): void {
  findClient(line);
  const { source, from, to } = line;
  if (browser.counts.isDropped) browser.counts = enter(strings, browser.useragent);
  const { counts } = browser;
  counts.requests += requests;
  const address = from[field.address]!;
  if (address !== -1 && !isBlank(source, address, to[field.address]!)) {
    counts.located += requests;
    addDistinct(counts.addresses, source, address, to[field.address]!);
  }
  if (from[field.path] !== -1 || from[field.request] !== -1) {
    counts.withPath += requests;
    if (isAsset(line)) counts.assets += requests;
  }
  const referrer = from[field.referrer]!;
  if (referrer !== -1) {
    counts.referable += requests;
    if (!isBlank(source, referrer, to[field.referrer]!)) counts.withReferrer += requests;
  }
  if (!(at >= 0)) return;
  counts.hours[Math.floor(local / 3600) % 24]! += requests;
  if (at < counts.first) counts.first = at;
  if (at > counts.last) counts.last = at;
}

/** Adds what another thread has counted; the same as one thread counts as long as no string was dropped. */
export function mergeBrowserStrings(strings: BrowserStrings, other: BrowserStrings): void {
  const { floor } = strings;
  raiseMissing(
    strings,
    other,
    (useragent) => other.counts.has(useragent),
    (_, ours) => {
      ours.missed += other.floor;
    },
  );
  for (const [useragent, theirs] of other.counts) {
    const ours = strings.counts.get(useragent) ?? createCounts(floor);
    strings.counts.set(useragent, ours);
    addNumbers(ours, theirs);
    mergeDistinct(ours.addresses, theirs.addresses);
  }
  addNumbers(strings.dropped, other.dropped);
  if (strings.counts.size > 2 * keptStrings) dropStrings(strings);
}
