/** The last fetch of /robots.txt by a crawler, or from one of its addresses: it tells whether the crawler should know the file. */

/** The time and the status of a fetch; of fetches in the same second, the highest status. */
export interface RobotsFetch {
  readonly at: number;
  readonly status: number;
}

/** Notes a fetch; `at` is NaN where a line has no time. */
export function noteFetch(counts: { fetch?: RobotsFetch }, at: number, status: number): void {
  counts.fetch = laterFetch(counts.fetch, { at: Number.isNaN(at) ? 0 : at, status });
}

/** Adds what another thread has noted. */
export function mergeFetch(counts: { fetch?: RobotsFetch }, other: { readonly fetch?: RobotsFetch }): void {
  if (other.fetch !== undefined) counts.fetch = laterFetch(counts.fetch, other.fetch);
}

/** The later of two fetches. */
export function laterFetch(one: RobotsFetch | undefined, other: RobotsFetch): RobotsFetch {
  if (one === undefined || other.at > one.at) return other;
  return other.at === one.at && other.status > one.status ? other : one;
}
