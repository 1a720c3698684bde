/**
 * What the service is made of and what it tells its host: its options, one event a request.
 * Types only; create-service.ts puts them together.
 */
import type { Detector, VerdictMembers } from "../detect/verdict.ts";
import type { RecordedString, RecordQuery } from "../record/store.ts";
import type { Verifier } from "../verify/verification.ts";
import type { IncomingRequest, Route } from "./context.ts";
import type { GuardOptions } from "./guards.ts";

/** Where a request came from, as far as the host knows. */
export interface Client {
  /** The address of the peer of the connection, undefined once it is gone. */
  readonly address: string | undefined;
}

/** Whoever remembers what was evaluated. */
export interface RecordKeeper {
  /** Told every verdict of Check before it is sent; must be quick and must not throw. */
  note(verdict: VerdictMembers): void;
  /** Pages of recorded strings, the last seen first; where it is absent, List shows the catalogue only. */
  list?(query: RecordQuery, signal?: AbortSignal): AsyncIterable<readonly RecordedString[]>;
  /** How many strings match; undefined where a long search would have to tell. Both reject where the record cannot be read. */
  count?(query: RecordQuery): Promise<number | undefined>;
}

/** Whether the service should be sent requests; `warnings` do not keep it from answering. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** Metrics as a scraper reads them. */
export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/** What happened to one request; given to `onRequest` when the answer is ready. */
export interface RequestEvent {
  readonly requestId: string;
  readonly method: string;
  /** The path of the route that answered, or `*` where there is none, so that it can label a metric. */
  readonly route: string;
  readonly status: number;
  /** From the arrival of the head to the answer being ready to send. */
  readonly durationMs: number;
  /** Only for a Check that was answered. */
  readonly verdict: VerdictMembers | undefined;
  /** Only where the status is 500. */
  readonly error: unknown;
}

/** Everything `createService` takes; only `detector` is required. */
export interface ServiceOptions {
  readonly detector: Detector;
  readonly record?: RecordKeeper;
  /** Verifies crawlers by what Check is told beside the user agent, which is ignored without it. */
  readonly verifier?: Verifier;
  /** The address of a proxy's client, for /auth; undefined where no proxy is believed to say it. */
  readonly forwardedAddressOf?: (request: IncomingRequest) => string | undefined;
  /** Whether a caller with this `Authorization` header sees recorded strings in List; everybody does without it. */
  readonly seesEvaluated?: (authorization: string | null) => boolean;
  /** Who may ask, how often, and from which pages; everybody, always, and none without it. */
  readonly guards?: GuardOptions;
  /** What /readyz says; always ready without it. */
  readonly readiness?: () => Readiness;
  /** What /metrics shows; it is not there without it. */
  readonly metrics?: () => Promise<MetricsPage>;
  /** Called once a request; must not throw. Without it nothing is measured. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Called with each verdict of CheckMany, of which one request has many; must be quick and must not throw. */
  readonly onVerdict?: (verdict: VerdictMembers) => void;
  /** Makes the id of a request whose client sent none that is sane. */
  readonly requestId?: () => string;
  /** The expression in other spellings, by the name that `?flavor=` takes; `portable` is always there. */
  readonly flavors?: Readonly<Record<string, string>>;
  /** Longest accepted body; 64 KiB without it. */
  readonly maxBodyBytes?: number;
  /** Most lists that are made at once; 16 without it. */
  readonly maxLists?: number;
  /** For how long a list may wait for the record in all; 10 s without it. */
  readonly listTimeoutMs?: number;
  /** For how long a client may take nothing of its list; 30 s without it. */
  readonly stallMs?: number;
  /** What stands before every path where the service is mounted below another, such as `/bots`. */
  readonly basePath?: string;
  /** More routes beside the service's own, such as pages; they come first. */
  readonly routes?: readonly Route[];
}
