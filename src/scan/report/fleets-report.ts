/** The strings of browsers that behave like programs, with their figures, and how they were judged. */
import type { BrowserStrings } from "../fleets/browser-strings.ts";
import { estimateDistinct, standardError } from "../fleets/distinct-count.ts";
import { type Fleet, judgeFleets, quietShareOf } from "../fleets/judge-fleets.ts";
import { toCount, toIso, toRequests, toShare } from "./report-text.ts";

/** A string; counts of fields that the log's lines lack are absent. */
export interface FleetReport {
  readonly useragent: string;
  readonly requests: number;
  /** The most requests that were not counted; 0 if `requests` is exact. */
  readonly missed: number;
  /** Different addresses, estimated: in 95 of 100 logs, the true number is at most `addressesMargin` away. */
  readonly addresses: number;
  readonly addressesMargin: number;
  /** Requests with an address by the estimated addresses, rounded to three digits. */
  readonly requestsPerAddress: number;
  /** Requests of images, styles, scripts and fonts. */
  readonly assets?: number;
  readonly withReferrer?: number;
  /** Requests by the hour of the day, in the zone of the report. */
  readonly hours?: readonly number[];
  /** The share of requests in the eight quietest hours in a row. */
  readonly quietShare?: number;
  readonly first?: string;
  readonly last?: string;
}

/** The figures by which strings were judged. */
export interface FleetsBasis {
  /** Requests with strings of browsers. */
  readonly requests: number;
  /** Shares in the requests with other strings, rounded; absent if the strings are not judged by them. */
  readonly assetShare?: number;
  readonly referrerShare?: number;
  /** The criteria that the log does not show, in sentences. */
  readonly missing: readonly string[];
}

export interface FleetsReport {
  /** Sorted by requests. */
  readonly fleets: readonly FleetReport[];
  readonly fleetsBasis: FleetsBasis;
}

/** 95 % of estimates are closer than this many standard errors. */
const marginErrors = 2;

export function toFleetsReport(strings: BrowserStrings): FleetsReport {
  const { fleets, compared, all, missing } = judgeFleets(strings);
  const { assetShare, referrerShare } = compared;
  return {
    fleets: fleets.map(toFleet),
    fleetsBasis: {
      requests: all.requests,
      ...(assetShare !== undefined && { assetShare: round(assetShare) }),
      ...(referrerShare !== undefined && { referrerShare: round(referrerShare) }),
      missing,
    },
  };
}

function toFleet({ useragent, counts }: Fleet): FleetReport {
  const { requests, missed, located, withPath, assets, referable, withReferrer, hours, first, last } = counts;
  const addresses = Math.min(estimateDistinct(counts.addresses), located);
  const quietShare = quietShareOf(counts);
  return {
    useragent,
    requests,
    missed,
    addresses,
    addressesMargin: Math.ceil(marginErrors * standardError * addresses),
    requestsPerAddress: round(located / addresses),
    ...(withPath > 0 && { assets }),
    ...(referable > 0 && { withReferrer }),
    ...(quietShare !== undefined && { hours, quietShare: round(quietShare), first: toIso(first), last: toIso(last) }),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

export const fleetsTitle = "Browser strings that behave like programs";

/** The products that name a browser; of several, the first one here. */
const browserProducts = ["Edg", "OPR", "SamsungBrowser", "Firefox", "Chrome", "Version"];

/** The parts that distinguish browsers' strings, for narrow places: `Chrome/120.0.0.0 (X11; Linux x86_64)`; a string of another form as it is. */
export function toShortString(useragent: string): string {
  const system = /^Mozilla\/5\.0 (\([^()]*\))/.exec(useragent)?.[1];
  const products = useragent.split(" ");
  const product = browserProducts
    .map((name) => products.find((product) => product.startsWith(`${name}/`)))
    .find((product) => product !== undefined);
  return system === undefined || product === undefined ? useragent : `${product} ${system}`;
}

/** `12,000`; `12,000 to 12,400` if some may not have been counted. */
export function toFleetRequests({ requests, missed }: FleetReport): string {
  return missed === 0 ? toCount(requests) : `${toCount(requests)} to ${toCount(requests + missed)}`;
}

/** `about 480 (± 22)`. */
export function toFleetAddresses({ addresses, addressesMargin }: FleetReport): string {
  return `about ${toCount(addresses)} (± ${toCount(addressesMargin)})`;
}

/** The figures with which the strings were compared, and the criteria that the log does not show. */
export function toFleetsNote({ fleets, fleetsBasis }: FleetsReport): string {
  const { requests, assetShare, referrerShare, missing } = fleetsBasis;
  const others = [
    ...(assetShare === undefined ? [] : [`images, styles, scripts and fonts ${toShare(assetShare, 1)}`]),
    ...(referrerShare === undefined ? [] : [`with a referrer ${toShare(referrerShare, 1)}`]),
  ];
  const sentences = [
    `${toRequests(requests)} with strings of browsers; ${fleets.length === 0 ? "none behaves" : `${toRequests(fleets.reduce((sum, fleet) => sum + fleet.requests, 0))} with strings that behave`} like a program.`,
    ...(others.length === 0 ? [] : [`Requests of the other strings: ${others.join(", ")}.`]),
    ...missing,
  ];
  return sentences.join(" ");
}
