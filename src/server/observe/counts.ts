/**
 * Counts requests in plain numbers: a request costs two look-ups and five additions. metrics.ts reads them at each scrape.
 */
import type { Verdict } from "../../detect/verdict.ts";
import type { RequestEvent } from "../../service/options.ts";

/** Upper bounds of the histogram, in seconds: a Check takes tenths of a millisecond, a long List tenths of a second. */
export const durationBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5] as const;

/** The methods of HTTP; anything else that a client may send shares one label, to bound the number of labels. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

/** How often each value occurred. */
export type Counts<Value> = Map<Value, { count: number }>;

interface RouteCounts {
  /** By method and status. */
  readonly answers: Map<string, Counts<number>>;
  /** How many durations are in each bucket, and above the last bound. */
  readonly buckets: number[];
  /** The sum of durations, in seconds. */
  sum: number;
}

/** The counts. */
export class RequestCounts {
  readonly routes = new Map<string, RouteCounts>();
  /** By category; `none` for people. */
  readonly verdicts: Counts<string> = new Map();
  /** Requests of crawlers that got 429 from /auth, by category. */
  readonly limited: Counts<string> = new Map();
  /** For crawlers that were to be verified, by status and method, such as `spoofed dns`. */
  readonly verifications: Counts<string> = new Map();

  /** Counts one answered request. */
  note({ route, method, status, durationMs, verdict }: RequestEvent): void {
    let counts = this.routes.get(route);
    if (counts === undefined) {
      counts = { answers: new Map(), buckets: Array(durationBounds.length + 1).fill(0), sum: 0 };
      this.routes.set(route, counts);
    }
    const known = methods.has(method) ? method : "other";
    let statuses = counts.answers.get(known);
    if (statuses === undefined) {
      statuses = new Map();
      counts.answers.set(known, statuses);
    }
    add(statuses, status);
    const seconds = durationMs / 1000;
    counts.sum += seconds;
    let bucket = 0;
    while (bucket < durationBounds.length && seconds > (durationBounds[bucket] as number)) bucket++;
    counts.buckets[bucket]!++;
    if (verdict === undefined) return;
    this.noteVerdict(verdict);
    // A client that exceeds `rate-limit` gets this status before there is a verdict.
    if (status === 429 && verdict.crawler) add(this.limited, verdict.category);
  }

  /** Counts a verdict, whichever operation has answered it. */
  noteVerdict(verdict: Verdict): void {
    add(this.verdicts, verdict.crawler ? verdict.category : "none");
    const { verification } = verdict;
    if (verification !== undefined) add(this.verifications, `${verification.status} ${verification.method}`);
  }
}

function add<Value>(counts: Counts<Value>, value: Value): void {
  const counter = counts.get(value);
  if (counter === undefined) counts.set(value, { count: 1 });
  else counter.count++;
}
