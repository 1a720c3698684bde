/** The requests of a crawler by the client's address, so that they can be verified. Plain data, as in tally.ts. */
import { mergeFetch, type RobotsFetch } from "./robots-counts.ts";
import { addNumbers } from "./sums.ts";

/** Requests from an address; times as in CrawlerTally. */
export interface AddressCounts {
  requests: number;
  /** Of these, requests of disallowed paths, requests that were answered with 403 or 429, and with 5xx. */
  disallowed: number;
  refused: number;
  errors: number;
  first: number;
  last: number;
  /** The last fetch of /robots.txt, where requests are compared with it. */
  fetch?: RobotsFetch;
}

export type Addresses = Map<string, AddressCounts>;

/** How many addresses of a crawler are counted individually, the first ones of each thread: a memory limit. */
export const maxAddresses = 50_000;

/** The counts of an address, or of all further ones (under "") if there is no more room. */
export function addressOf(addresses: Addresses, address: string): AddressCounts {
  const key = addresses.size < maxAddresses || addresses.has(address) ? address : "";
  let counts = addresses.get(key);
  if (counts === undefined) {
    const [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    counts = { requests: 0, disallowed: 0, refused: 0, errors: 0, first, last };
    addresses.set(key, counts);
  }
  return counts;
}

/** Counts the requests of a line, of which `disallowed` disobey robots.txt. */
export function countAddress(
  counts: AddressCounts,
  { at, requests, status }: { readonly at: number; readonly requests: number; readonly status: number },
  disallowed: number,
): void {
  counts.requests += requests;
  counts.disallowed += disallowed;
  if (status === 403 || status === 429) counts.refused += requests;
  else if (status >= 500) counts.errors += requests;
  if (at < counts.first) counts.first = at;
  if (at > counts.last) counts.last = at;
}

/** Adds what another thread has counted. */
export function mergeAddresses(addresses: Addresses, other: Addresses): void {
  for (const [address, theirs] of other) {
    const ours = addressOf(addresses, address);
    addNumbers(ours, theirs);
    mergeFetch(ours, theirs);
  }
}
