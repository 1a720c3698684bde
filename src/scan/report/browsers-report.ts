/** The strings of browsers with the most requests, and which of them behave like programs: one rule, which docs/scan-estimates.md documents. */
import { type Behavior, type BrowserStrings, createBehavior, type StringCounts } from "../count/browser-strings.ts";
import { countDistinct, keptHashes } from "../count/distinct-count.ts";
import { addNumbers, sumOf } from "../count/sums.ts";
import { toCount, toIso, toRequests } from "./report-text.ts";

/** A string. Shares are of its requests, rounded to three digits, and absent where the log's lines lack the field. */
export interface BrowserReport {
  readonly useragent: string;
  /** Whether it behaves like a program. */
  readonly isProgram: boolean;
  readonly requests: number;
  /** The most requests that were not counted; 0 if `requests` is exact. */
  readonly missed: number;
  /** Different addresses: exact up to 1,024, beyond that an estimate with a standard error of 3.1%. */
  readonly addresses?: number;
  /** Images, styles, scripts and fonts. */
  readonly assetShare?: number;
  readonly referrerShare?: number;
  /** Requests by the hour of the day, in the zone of the report, and the share of the eight quietest hours in a row. */
  readonly hours?: readonly number[];
  readonly quietShare?: number;
  readonly first?: string;
  readonly last?: string;
}

export interface BrowsersReport {
  /** Requests with strings of browsers. */
  readonly requests: number;
  /** The strings that behave like programs, then the ones with the most requests. */
  readonly strings: readonly BrowserReport[];
  /** Why the log provides less evidence than the rule needs, as sentences. */
  readonly notes: readonly string[];
}

/** How many strings are shown besides the marked ones. */
const shownStrings = 100;

/** Fewer requests prove nothing. */
const minRequests = 500;
const maxRequestsPerAddress = 1.5;
/** A program's string has at most this share of assets and of referrers; the others together have at least the second one. */
const maxShare = 0.05;
const minOtherShare = 0.25;
/** The minimum number of requests of the other strings for a comparison. */
const minCompared = 200;
const daySeconds = 86_400;
/** The quietest hours in a row, and their share of requests for a string that is used round the clock; evenly, it is a third. */
const quietHours = 8;
const minQuietShare = 0.2;

export function toBrowsersReport({ counts, dropped }: BrowserStrings): BrowsersReport {
  const all = [...counts].map(([useragent, counts]) => ({
    useragent,
    counts,
    addresses: Math.min(countDistinct(counts.addresses), counts.located),
  }));
  const suspects = new Set(all.filter(({ counts, addresses }) => isSuspect(counts, addresses)));
  const others = createBehavior();
  addNumbers(others, dropped);
  for (const one of all) if (!suspects.has(one)) addNumbers(others, one.counts);
  // A criterion proves nothing if the other strings of the log do not satisfy it either.
  const showsAssets = others.withPath >= minCompared && others.assets >= minOtherShare * others.withPath;
  const showsReferrers = others.referable >= minCompared && others.withReferrer >= minOtherShare * others.referable;
  const spans = [others, ...[...suspects].map(({ counts }) => counts)];
  const first = Math.min(...spans.map(({ first }) => first));
  const hasDay = Math.max(...spans.map(({ last }) => last)) - first >= daySeconds;
  const isProgram = (one: (typeof all)[number]): boolean =>
    suspects.has(one) &&
    (showsAssets || showsReferrers) &&
    ((showsAssets && showsReferrers) || (hasDay && (quietShareOf(one.counts) ?? 0) >= minQuietShare));
  const rows = all
    .map((one) => toBrowser(one.useragent, one.counts, one.addresses, isProgram(one)))
    .sort((one, other) => other.requests - one.requests || (one.useragent < other.useragent ? -1 : 1));
  return {
    requests: sumOf([dropped, ...all.map(({ counts }) => counts)], ({ requests }) => requests),
    strings: [
      ...rows.filter(({ isProgram }) => isProgram),
      ...rows.filter(({ isProgram }) => !isProgram).slice(0, shownStrings),
    ],
    notes: [
      ...(all.some(({ counts }) => counts.located > 0) ? [] : ["The log has no addresses, so no string is marked."]),
      ...(showsAssets
        ? []
        : ["The log has few requests for images, styles and scripts by any browser, so their absence proves nothing."]),
      ...(showsReferrers ? [] : ["The log has few referrers from any browser, so their absence proves nothing."]),
      ...(hasDay ? [] : ["The log covers less than a day."]),
    ],
  };
}

/** Whether a string has many requests, about one from each address, no assets and few referrers. */
function isSuspect({ located, withPath, assets, referable, withReferrer }: StringCounts, addresses: number): boolean {
  if (located < minRequests || located > maxRequestsPerAddress * addresses) return false;
  return assets <= maxShare * withPath && withReferrer <= maxShare * referable;
}

/** The share of requests in the eight quietest hours in a row of the day; undefined without times. */
function quietShareOf({ hours }: Behavior): number | undefined {
  const timed = sumOf(hours, (requests) => requests);
  if (timed === 0) return undefined;
  const night = hours.map((_, from) =>
    sumOf([...hours, ...hours].slice(from, from + quietHours), (requests) => requests),
  );
  return Math.min(...night) / timed;
}

function toBrowser(useragent: string, counts: StringCounts, addresses: number, isProgram: boolean): BrowserReport {
  const { requests, missed, located, withPath, assets, referable, withReferrer, hours, first, last } = counts;
  const quietShare = quietShareOf(counts);
  return {
    useragent,
    isProgram,
    requests,
    missed,
    ...(located > 0 && { addresses }),
    ...(withPath > 0 && { assetShare: round(assets / withPath) }),
    ...(referable > 0 && { referrerShare: round(withReferrer / referable) }),
    ...(quietShare !== undefined && { hours, quietShare: round(quietShare), first: toIso(first), last: toIso(last) }),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** The products that name a browser; if a string has several, the first one here counts. */
const browserProducts = ["Edg", "OPR", "SamsungBrowser", "Firefox", "Chrome", "Version"];

/**
 * The parts that distinguish browsers' strings, for narrow places: `Chrome/120.0.0.0 (X11; Linux x86_64)`; a string of another form as it
 * is.
 */
export function toShortString(useragent: string): string {
  const system = /^Mozilla\/5\.0 (\([^()]*\))/.exec(useragent)?.[1];
  const products = useragent.split(" ");
  const product = browserProducts
    .map((name) => products.find((product) => product.startsWith(`${name}/`)))
    .find((product) => product !== undefined);
  return system === undefined || product === undefined ? useragent : `${product} ${system}`;
}

/** `12,000`; `12,000 to 12,400` if some may not have been counted. */
export function toBrowserRequests({ requests, missed }: BrowserReport): string {
  return missed === 0 ? toCount(requests) : `${toCount(requests)} to ${toCount(requests + missed)}`;
}

/** `480`, `about 12,000`. */
export function toAddressCount({ addresses }: BrowserReport): string {
  if (addresses === undefined) return "";
  return `${addresses > keptHashes ? "about " : ""}${toCount(addresses)}`;
}

/** What was found in all, and what the log does not show. */
export function toBrowsersNote(browsers: BrowsersReport): string {
  return [`${toFound(browsers)}.`, ...browsers.notes].join(" ");
}

/** The same in a line. */
export function toBrowsersSummary(browsers: BrowsersReport): string {
  return `${toFound(browsers)}${browsers.notes.length === 0 ? "" : ", as far as the log shows"}.`;
}

function toFound({ requests, strings }: BrowsersReport): string {
  const marked = strings.filter(({ isProgram }) => isProgram);
  const found =
    marked.length === 0
      ? "no string behaves"
      : `${toRequests(sumOf(marked, ({ requests }) => requests))} with strings that behave`;
  return `${toRequests(requests)} with browser strings; ${found} like a program`;
}
