/** Counts visits of people referred by operators' pages and apps. Plain data, as in tally.ts; referrers.ts finds the pages. */
import type { MakeOfBytes } from "../../cache/byte-cache.ts";
import { groupBy } from "../../text/group-by.ts";
import { findClient } from "../lines/client-address.ts";
import { field, type LogLine } from "../lines/line.ts";
import { addressAt, isBlank, pathAt, statusOf } from "../lines/read-fields.ts";
import { isAsset } from "./assets.ts";
import { createFindReferrer, noReferrer, referrerOfTarget, referrers } from "./referrers.ts";
import { addNumbers } from "./sums.ts";

/** The counts of people's requests in logs that have referrers. */
export interface ReferralCounts {
  /** Requests by people, where the log has a field for the referrer. */
  requests: number;
  /** Requests with a referrer. */
  withReferrer: number;
  /** Visits by the item of `referrers`, without the ones of `parts`. */
  readonly visits: number[];
  /** Parts of a document (206): what `keyOfPart` has, and in a last line the minute since 1970, NaN without a time. */
  readonly parts: Set<string>;
}

/** The maximum number of minutes of parts that are noted; further ones do not count as visits. */
const maxParts = 100_000;

export function createReferralCounts(): ReferralCounts {
  return { requests: 0, withReferrer: 0, visits: referrers.map(() => 0), parts: new Set() };
}

/** Adds what `other` has counted. */
export function mergeReferrals(counts: ReferralCounts, other: ReferralCounts): void {
  addNumbers(counts, other);
  for (const part of other.parts) addPart(counts, part);
}

/** Counts requests of people by their referrer; lines without a field for it are left out. `at` is in seconds since 1970, or NaN. */
export type CountReferral = (line: LogLine, requests: number, at: number) => void;

const partialContent = 206;
const decoder = new TextDecoder();

/** Makes the function that counts in `counts`. */
export function createCountReferral(counts: ReferralCounts): CountReferral {
  const findReferrer = createFindReferrer();
  return (line, requests, at) => {
    const { source, from, to } = line;
    const start = from[field.referrer]!;
    if (start === -1) return;
    const end = to[field.referrer]!;
    const isMissing = isBlank(source, start, end);
    counts.requests += requests;
    if (!isMissing) counts.withReferrer += requests;
    // If the referrer is another page, utm_source stems from an earlier visit: pages pass it on to what they fetch.
    const item = isMissing ? referrerOfLine(line) : findReferrer(source, start, end);
    if (item === noReferrer || !isDelivered(line) || isAsset(line)) return;
    if (statusOf(line) === partialContent) addPart(counts, `${keyOfPart(item, line)}\n${Math.floor(at / 60)}`);
    else counts.visits[item]! += requests;
  };
}

function referrerOfLine({ source, from, to }: LogLine): number {
  const index = from[field.path] === -1 ? field.request : field.path;
  const start = from[index]!;
  const item = start === -1 ? noReferrer : referrerOfTarget(source, start, to[index]!, false);
  const query = from[field.query]!;
  return item === noReferrer && query !== -1 ? referrerOfTarget(source, query, to[field.query]!, true) : item;
}

/** Whether the answer is a page or document: 2xx or 304, where the log has statuses. */
function isDelivered(line: LogLine): boolean {
  const status = statusOf(line);
  return line.from[field.status] === -1 || (status >= 200 && status <= 299) || status === 304;
}

const decode: MakeOfBytes<string> = (bytes, from, to) => decoder.decode(bytes.subarray(from, to));

/** Which visit a part belongs to: the page or app, the client (its address, or its user agent where the log has none) and the path. */
function keyOfPart(item: number, line: LogLine): string {
  const { source, from, to } = line;
  findClient(line);
  const address = addressAt(line, decode);
  const useragent = from[field.useragent]!;
  const client = /^-?$/.test(address) && useragent !== -1 ? decode(source, useragent, to[field.useragent]!) : address;
  return [item, client, pathAt(line, decode)].join("\n");
}

/** Notes a minute in which parts of a document were sent, as long as there is room. */
function addPart({ parts }: ReferralCounts, part: string): void {
  if (parts.size < maxParts) parts.add(part);
}

/** Visits by the item of `referrers`, in which all parts of a document that a client gets within 30 minutes are one visit. */
export function countVisits({ visits, parts }: ReferralCounts): readonly number[] {
  const all = [...visits];
  for (const [key, same] of groupBy(parts, (part) => part.slice(0, part.lastIndexOf("\n")))) {
    let start = Number.NEGATIVE_INFINITY;
    const minutes = same.map((part) => Number(part.slice(key.length + 1)));
    for (const minute of minutes.sort((one, other) => one - other)) {
      if (minute - start < 30) continue;
      start = minute;
      all[Number.parseInt(key, 10)]!++;
    }
  }
  return all;
}
