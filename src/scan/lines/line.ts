/** One request of a log: the positions of its fields in the bytes. */

/**
 * The fields that are read; the rest of a line is skipped. `count` is the number of requests that a line sums up, `query` what follows
 * the question mark where the path has no query, `forwarded` the addresses that proxies have appended to X-Forwarded-For, `realip` and
 * `cdnip` the one that a proxy (X-Real-IP) or Cloudflare (CF-Connecting-IP, True-Client-IP) has seen.
 */
export const fieldNames = [
  "useragent",
  "time",
  "status",
  "bytes",
  "path",
  "request",
  "address",
  "count",
  "referrer",
  "query",
  "forwarded",
  "realip",
  "cdnip",
] as const;
export type FieldName = (typeof fieldNames)[number];

/** What the user has specified about the fields: names of columns, labels or members (with dots), or column numbers. */
export type GivenFields = Readonly<Partial<Record<FieldName, string>>>;

/** Fields as indices into the offsets of a LogLine. Literal numbers, which engines put into the code of a loop. */
export const field = {
  useragent: 0,
  time: 1,
  status: 2,
  bytes: 3,
  path: 4,
  request: 5,
  address: 6,
  count: 7,
  referrer: 8,
  query: 9,
  forwarded: 10,
  realip: 11,
  cdnip: 12,
} as const;

/** What is known about the proxies in front of a server. */
export interface Proxies {
  /** How many are trusted, if that was said. */
  readonly trusted?: number | undefined;
  /** Whether `source[from … to)` is an address of Cloudflare's, if its addresses are known. */
  readonly isCloudflare?: ((source: Uint8Array, from: number, to: number) => boolean) | undefined;
}

/** The fields of the line that was read last: `source[from[field] … to[field])`; `from` is -1 for one that is not there. */
export interface LogLine {
  source: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly proxies: Proxies;
}

/** Each format needs its own line: fields that its lines never have keep these values. */
export function createLogLine(proxies: Proxies = {}): LogLine {
  return {
    proxies,
    source: new Uint8Array(0),
    from: new Int32Array(fieldNames.length).fill(-1),
    to: new Int32Array(fieldNames.length),
  };
}

/** The result of a line: a request, a line that cannot be read, or one that is not a request, such as a header. */
export const outcome = { request: 0, broken: 1, other: 2 } as const;
type Outcome = (typeof outcome)[keyof typeof outcome];

/** Reads the line from `from` to before `to`, without its end, into `line`. */
export type LineReader = (bytes: Uint8Array, from: number, to: number, line: LogLine) => Outcome;
