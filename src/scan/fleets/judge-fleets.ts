/**
 * Says which strings of browsers behave like programs. A criterion that the other strings of the log do not meet either is no
 * evidence. docs/scan.md documents the thresholds.
 */
import {
  addBehavior,
  type Behavior,
  type BrowserStrings,
  createBehavior,
  type StringCounts,
} from "./browser-strings.ts";
import { estimateDistinct } from "./distinct-count.ts";

/** Fewer requests are no evidence. */
const leastRequests = 500;
const mostRequestsPerAddress = 1.5;
/** A string has at most this share of assets (images, styles, scripts, fonts) and of referrers; the others have at least the second one. */
const mostShare = 0.05;
const leastOtherShare = 0.25;
/** The other strings are compared from so many requests on. */
const leastCompared = 200;
const day = 86_400;
/** The quietest hours in a row, and their share of requests for a string that is used round the clock; evenly, it is a third. */
const quietHours = 8;
const leastQuietShare = 0.2;

/** The criteria besides the addresses; a member is absent if the log cannot show it. */
export interface Compared {
  /** The share of images, styles, scripts and fonts in the requests with the other strings. */
  readonly assetShare?: number;
  /** The share of requests with a referrer. */
  readonly referrerShare?: number;
  /** Whether the log is long enough to show at which hours a string is used. */
  readonly hasDay: boolean;
}

export interface Fleet {
  readonly useragent: string;
  readonly counts: StringCounts;
}

export interface JudgedStrings {
  readonly fleets: readonly Fleet[];
  readonly compared: Compared;
  /** All strings that were counted. */
  readonly all: Behavior;
  /** Why no string is judged by a criterion, in sentences. */
  readonly missing: readonly string[];
}

export function judgeFleets({ counts, dropped }: BrowserStrings): JudgedStrings {
  const all = sumOf(dropped, counts.values());
  const suspects = new Map([...counts].filter(([, one]) => isSuspect(one)));
  const others = [...counts].flatMap(([useragent, one]) => (suspects.has(useragent) ? [] : [one]));
  const { compared, missing } = compare(all, sumOf(dropped, others));
  const fleets = [...suspects]
    .map(([useragent, counts]) => ({ useragent, counts }))
    .filter(({ counts }) => isEvident(counts, compared))
    .sort((a, b) => b.counts.requests - a.counts.requests || (a.useragent < b.useragent ? -1 : 1));
  return { fleets, compared, all, missing };
}

function sumOf(first: Behavior, others: Iterable<Behavior>): Behavior {
  const sum = createBehavior();
  addBehavior(sum, first);
  for (const other of others) addBehavior(sum, other);
  return sum;
}

/** Whether a string has many requests, about one from each address, no assets and few referrers. */
function isSuspect(counts: StringCounts): boolean {
  const { located, withPath, assets, referable, withReferrer } = counts;
  if (located < leastRequests || assets > mostShare * withPath || withReferrer > mostShare * referable) return false;
  return located <= mostRequestsPerAddress * estimateDistinct(counts.addresses);
}

/** The criteria that the requests with the other strings show, and why others are missing. */
function compare(
  all: Behavior,
  others: Behavior,
): { readonly compared: Compared; readonly missing: readonly string[] } {
  if (all.requests === 0)
    return { compared: { hasDay: false }, missing: ["The log has no requests with strings of browsers."] };
  const missing: string[] = [];
  const assetShare = others.assets / others.withPath;
  const referrerShare = others.withReferrer / others.referable;
  const hasDay = all.last - all.first >= day;
  if (all.located === 0) missing.push("The log has no addresses, so no string is judged.");
  if (all.withPath === 0) missing.push("The log has no paths.");
  else if (others.withPath < leastCompared)
    missing.push("There are too few other requests to compare their paths with.");
  else if (assetShare < leastOtherShare)
    missing.push("The log has few images, styles and scripts of any browser, so their absence is no evidence.");
  if (all.referable === 0) missing.push("The log has no referrers.");
  else if (others.referable < leastCompared)
    missing.push("There are too few other requests to compare their referrers with.");
  else if (referrerShare < leastOtherShare)
    missing.push("The log has few referrers of any browser, so their absence is no evidence.");
  if (!hasDay) missing.push("The log covers less than a day.");
  return {
    compared: {
      ...(others.withPath >= leastCompared && assetShare >= leastOtherShare && { assetShare }),
      ...(others.referable >= leastCompared && referrerShare >= leastOtherShare && { referrerShare }),
      hasDay,
    },
    missing,
  };
}

/** Whether the log shows two of the criteria besides the addresses: assets and referrers, or one of them and use round the clock. */
function isEvident(counts: StringCounts, { assetShare, referrerShare, hasDay }: Compared): boolean {
  if (assetShare === undefined && referrerShare === undefined) return false;
  if (assetShare !== undefined && referrerShare !== undefined) return true;
  return hasDay && (quietShareOf(counts) ?? 0) >= leastQuietShare;
}

/** The share of requests in the eight quietest hours in a row of the day; undefined without times. */
export function quietShareOf({ hours }: Behavior): number | undefined {
  const timed = hours.reduce((sum, requests) => sum + requests, 0);
  if (timed === 0) return undefined;
  const quietest = Math.min(
    ...hours.map((_, from) => {
      let sum = 0;
      for (let hour = from; hour < from + quietHours; hour++) sum += hours[hour % 24]!;
      return sum;
    }),
  );
  return quietest / timed;
}
