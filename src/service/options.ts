/**
 * The service's options, and the events that it reports to its host, one per request.
 * Types only; create-api.ts puts them together.
 */
import type { Detector, Verdict } from "../detect/verdict.ts";
import type { Forwarded, Route } from "../http/context.ts";
import type { GuardOptions } from "../http/guards.ts";
import type { ErrorPage } from "../http/problems.ts";
import type { RecordedTraffic } from "../record/record.ts";
import type { RecordedString, RecordQuery } from "../record/store.ts";
import type { ClaimVerifier } from "../verify/evidence.ts";
import type { Networks } from "../verify/networks/networks.ts";
import type { Limits } from "./limits.ts";

/** Records evaluated strings. */
export interface RecordKeeper {
  /** Called with each verdict; must be quick and must not throw. */
  note(verdict: Verdict): void;
  /** Pages of recorded strings, the last seen first. Optional: without it List shows the catalogue only. */
  list?(query: RecordQuery, signal?: AbortSignal): AsyncIterable<readonly RecordedString[]>;
  /** Number of matching strings; undefined if counting needs a long search. Both reject if the record cannot be read. */
  count?(query: RecordQuery): Promise<number | undefined>;
  /** The requests by hour. With `list`, pages show the record. */
  readonly traffic?: RecordedTraffic;
  /** `dropped`: requests whose strings were not recorded since the start. */
  status?(): { readonly dropped: number };
}

/** Whether the service is ready for requests; `warnings` do not prevent it from answering. */
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
  /** The path of the route that answered, or `*` if there is none, so that it can label a metric. */
  readonly route: string;
  readonly status: number;
  /** From the arrival of the head to the answer being ready to send. */
  readonly durationMs: number;
  /** Only for a Check that was answered. */
  readonly verdict: Verdict | undefined;
  /** The name of the problem that it was answered with, such as `too-many-lists`, as in docs/api.md. */
  readonly problem?: string | undefined;
  /** Only if the status is 500. */
  readonly error: unknown;
  /** What is wrong with the policy of /auth, once a minute. */
  readonly warning?: string | undefined;
}

/** Everything `createService` takes; only `detector` is required. limits.ts has the limits and their defaults. */
export interface ServiceOptions extends Partial<Limits> {
  readonly detector: Detector;
  readonly record?: RecordKeeper | undefined;
  /** Verifies crawlers by `ip` and `headers` of Check, which are ignored without it and `networks`. */
  readonly verifier?: ClaimVerifier;
  /** Knows the networks of addresses: of `ip` of Check, and of a proxy's client in /auth. Default: none is known. */
  readonly networks?: Networks | undefined;
  /** What trusted proxies say about their clients. Default: nothing, so that no policy of /auth can name `spoofed` or `verified`. */
  readonly forwarded?: Forwarded | undefined;
  /**
   * Whether a caller with this `Authorization` header, or a visitor who signed in with its token, can read the record. Default: everyone.
   */
  readonly mayRead?: ((authorization: string | null) => boolean) | undefined;
  /** Tokens, rate limits, and origins of pages. Default: no token, no limit, no origin. */
  readonly guards?: GuardOptions;
  /** What /readyz returns. Default: ready, with the service's `policyWarnings`. */
  readonly readiness?: () => Readiness | Promise<Readiness>;
  /** What /RobotsTxt returns, and the policy word `disallowed` reads, until `useRobotsTxt` replaces it. Default: 404. */
  readonly robotsTxt?: string | undefined;
  /** What /metrics returns. Default: 404. */
  readonly metrics?: () => Promise<MetricsPage>;
  /** Called once per request; must not throw. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Called with each verdict of CheckMany; must be quick and must not throw. */
  readonly onVerdict?: (verdict: Verdict) => void;
  /** Makes the id of a request whose client sent no valid one: 1 to 128 printable characters of ASCII; others are replaced. */
  readonly requestId?: () => string;
  /** Other spellings of the expression, by the value of `?flavor=`; `portable` always exists. */
  readonly flavors?: Readonly<Record<string, string>>;
  /** Maximum time that a client may leave a list, or a response of CheckMany, unread. Default: 30 s. */
  readonly stallMs?: number;
  /** Prefix of every path if the service is mounted below another, such as `/bots`. */
  readonly basePath?: string;
  /** Shows problems to people whose browser opens an address. Default: they get problems as programs do. */
  readonly errorPage?: ErrorPage;
  /** The path that a path without a route is another spelling of, such as `/docs` for `/Docs/`. Default: none. */
  readonly spellingOf?: (path: string) => string | undefined;
  /** More routes beside the service's own, such as pages; they come first. */
  readonly routes?: readonly Route[];
}
