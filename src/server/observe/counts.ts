/**
 * Counts requests in plain numbers: a request costs two look-ups and five additions. metrics-page.ts writes
 * them.
 */
import type { Verdict } from "../../detect/verdict.ts";
import type { RequestEvent } from "../../service/options.ts";

/** Upper bounds of the histogram, in seconds: a Check takes tenths of a millisecond, a long List tenths of a second. */
export const durationBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5] as const;

/** Counts as /metrics writes them. */
export interface Counts {
  /** By route, method and status. */
  readonly requests: readonly (readonly [route: string, method: string, status: number, count: number])[];
  /** By route: how many in each bucket and above the last, and the sum of seconds. */
  readonly durations: readonly (readonly [route: string, buckets: readonly number[], sum: number])[];
  /** By category; `none` for people. */
  readonly verdicts: readonly (readonly [category: string, count: number])[];
  /** Requests of crawlers that got 429 from /auth, by category. */
  readonly limited: readonly (readonly [category: string, count: number])[];
  /** Of crawlers that were to be verified, by status and method. */
  readonly verifications: readonly (readonly [status: string, method: string, count: number])[];
}

/** What HTTP knows; anything else that a client may send is one label, or there would be no end of them. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

interface RouteCounts {
  /** By method and status, such as `POST 200`. */
  readonly answers: Map<string, Map<number, { count: number }>>;
  readonly buckets: number[];
  sum: number;
}

/** The counts. */
export class RequestCounts {
  readonly #routes = new Map<string, RouteCounts>();
  readonly #verdicts = new Map<string, { count: number }>();
  readonly #limited = new Map<string, { count: number }>();
  readonly #verifications = new Map<string, { count: number }>();

  /** Counts one answered request. */
  note({ route, method, status, durationMs, verdict }: RequestEvent): void {
    let counts = this.#routes.get(route);
    if (counts === undefined) {
      counts = { answers: new Map(), buckets: Array(durationBounds.length + 1).fill(0), sum: 0 };
      this.#routes.set(route, counts);
    }
    let statuses = counts.answers.get(method);
    if (statuses === undefined) {
      const known = methods.has(method) ? method : "other";
      statuses = counts.answers.get(known) ?? new Map();
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
    if (status === 429 && verdict.crawler) add(this.#limited, verdict.category);
  }

  /** Counts a verdict that was given `times` times, whichever operation has answered it. */
  noteVerdict(verdict: Verdict, times = 1): void {
    add(this.#verdicts, verdict.crawler ? verdict.category : "none", times);
    const { verification } = verdict;
    if (verification !== undefined) add(this.#verifications, `${verification.status} ${verification.method}`, times);
  }

  /** The current counts. */
  read(): Counts {
    const routes = [...this.#routes];
    return {
      requests: routes.flatMap(([route, { answers }]) =>
        [...answers].flatMap(([method, statuses]) =>
          [...statuses].map(([status, { count }]) => [route, method, status, count] as const),
        ),
      ),
      durations: routes.map(([route, { buckets, sum }]) => [route, [...buckets], sum] as const),
      verdicts: [...this.#verdicts].map(([category, { count }]) => [category, count] as const),
      limited: [...this.#limited].map(([category, { count }]) => [category, count] as const),
      verifications: [...this.#verifications].map(([key, { count }]) => {
        const [status = "", method = ""] = key.split(" ");
        return [status, method, count] as const;
      }),
    };
  }
}

function add<Key>(counts: Map<Key, { count: number }>, key: Key, times = 1): void {
  const counter = counts.get(key);
  if (counter === undefined) counts.set(key, { count: times });
  else counter.count += times;
}
