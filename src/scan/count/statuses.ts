/** Requests by status code. Plain data, as in tally.ts. */

/** A list, because a crawler gets few different codes, and a map takes twice as long. */
export type StatusCounts = { readonly status: number; requests: number }[];

export function countStatus(counts: StatusCounts, status: number, requests: number): void {
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at]!;
    if (count.status === status) {
      count.requests += requests;
      return;
    }
  }
  counts.push({ status, requests });
}

/** Adds what another thread has counted. */
export function mergeStatuses(counts: StatusCounts, other: StatusCounts): void {
  for (const { status, requests } of other) countStatus(counts, status, requests);
}

/** In the order of the codes. */
export function statusesOf(counts: StatusCounts): Readonly<Record<string, number>> {
  const sorted = counts.toSorted((one, other) => one.status - other.status);
  return Object.fromEntries(sorted.map(({ status, requests }) => [status, requests]));
}
