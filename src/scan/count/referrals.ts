/** Counts the visits of people whom pages and apps of operators sent. Plain data, as tally.ts; referrers.ts finds the pages. */
import { field, type LogLine } from "../lines/line.ts";
import { isBlank } from "../lines/read-fields.ts";
import { createFindReferrer, noReferrer, referrerOfTarget, referrers } from "./referrers.ts";

/** The counts of people's requests in logs that have referrers. */
export interface ReferralCounts {
  /** Requests by people, where the log has a field for the referrer. */
  requests: number;
  /** Requests with a referrer. */
  withReferrer: number;
  /** Visits by the item of `referrers`. */
  readonly visits: number[];
}

export function createReferralCounts(): ReferralCounts {
  return { requests: 0, withReferrer: 0, visits: referrers.map(() => 0) };
}

/** Adds what `other` has counted. */
export function mergeReferrals(counts: ReferralCounts, other: ReferralCounts): void {
  counts.requests += other.requests;
  counts.withReferrer += other.withReferrer;
  for (const [item, visits] of other.visits.entries()) counts.visits[item]! += visits;
}

/** Counts requests of people by their referrer; lines without a field for it are left out. */
export type CountReferral = (line: LogLine, requests: number) => void;

const digit3 = 0x33;
const digit0 = 0x30;
const digit4 = 0x34;

/** Makes the function that counts in `counts`. */
export function createCountReferral(counts: ReferralCounts): CountReferral {
  const findReferrer = createFindReferrer();
  return (line, requests) => {
    const { source, from, to } = line;
    const start = from[field.referrer]!;
    if (start === -1) return;
    const end = to[field.referrer]!;
    const isMissing = isBlank(source, start, end);
    counts.requests += requests;
    if (!isMissing) counts.withReferrer += requests;
    // With another page as the referrer, utm_source is of an earlier visit: pages pass it on to what they fetch.
    const item = isMissing ? referrerOfLine(line) : findReferrer(source, start, end);
    if (item !== noReferrer && !isRedirected(line)) counts.visits[item]! += requests;
  };
}

function referrerOfLine({ source, from, to }: LogLine): number {
  const index = from[field.path] === -1 ? field.request : field.path;
  const start = from[index]!;
  const item = start === -1 ? noReferrer : referrerOfTarget(source, start, to[index]!, false);
  const query = from[field.query]!;
  return item === noReferrer && query !== -1 ? referrerOfTarget(source, query, to[field.query]!, true) : item;
}

/** Whether the answer is a redirect, 301, 302, 303, 307 or 308: the request that follows has the same referrer, and is the visit. */
function isRedirected({ source, from, to }: LogLine): boolean {
  const start = from[field.status]!;
  if (start === -1 || to[field.status] !== start + 3 || source[start] !== digit3 || source[start + 1] !== digit0)
    return false;
  const last = source[start + 2]!;
  return last !== digit0 && last !== digit4 && last <= 0x38;
}
