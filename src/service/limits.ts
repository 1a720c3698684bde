/**
 * The limits of the service, which are options of `createService` and settings of `whocrawls serve`. A handler reads its limit from the object
 * that create-api.ts passes on.
 */

/**
 * The longest time that a client may let a Check wait for lookups: a longer wait would let clients hold connections for as long as they
 * like.
 */
export const maxWaitMs = 5000;

/** The limits by their names, with their defaults. */
export const defaultLimits = {
  /** Maximum size of a request body. */
  maxBodyBytes: 65_536,
  /** Maximum number of lists that are sent at once, half of them to one client. */
  maxLists: 8,
  /** Maximum total time that one list waits for the record. */
  listTimeoutMs: 10_000,
} as const;

type LimitName = keyof typeof defaultLimits;

/** The value of each limit. */
export type Limits = { readonly [Name in LimitName]: number };

export const limitNames = Object.keys(defaultLimits) as readonly LimitName[];

/** The limits in `given`; the others have their defaults. */
export function toLimits(given: Partial<Limits>): Limits {
  return Object.fromEntries(limitNames.map((name) => [name, given[name] ?? defaultLimits[name]])) as Limits;
}
