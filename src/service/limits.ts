/**
 * The limits of the service: one table, of which the options of `createService` and the settings of `whocrawls serve` are made. A
 * handler reads its limit from the object that create-api.ts passes on.
 */

/** A limit, and how the operator of a service sets it. */
export interface Limit {
  /** The flag without its dashes, and the key in the file. */
  readonly setting: string;
  readonly unit: "number" | "bytes" | "ms";
  readonly default: number;
  readonly least: number;
  readonly most: number;
  readonly help: string;
}

/**
 * The longest time that a client may let a Check wait for lookups: a longer wait would let clients hold connections for as long as they
 * like.
 */
export const maxWaitMs = 5000;

const maxMs = 3650 * 86_400_000;

export const limits = {
  maxBodyBytes: {
    setting: "max-body",
    unit: "bytes",
    default: 65_536,
    least: 1,
    most: 16 * 1024 * 1024,
    help: "maximum size of a request body",
  },
  maxLists: {
    setting: "max-lists",
    unit: "number",
    default: 8,
    least: 1,
    most: 10_000,
    help: "maximum number of lists that are sent at once, half of them to one client; further requests get 503",
  },
  listTimeoutMs: {
    setting: "list-timeout",
    unit: "ms",
    default: 10_000,
    least: 1000,
    most: maxMs,
    help: "maximum total time that one list waits for the record",
  },
} as const satisfies Readonly<Record<string, Limit>>;

type LimitName = keyof typeof limits;

/** The value of each limit. */
export type Limits = { readonly [Name in LimitName]: number };

export const limitNames = Object.keys(limits) as readonly LimitName[];

/** The limits in `given`; the others have their defaults. */
export function toLimits(given: Partial<Limits>): Limits {
  return Object.fromEntries(limitNames.map((name) => [name, given[name] ?? limits[name].default])) as Limits;
}
