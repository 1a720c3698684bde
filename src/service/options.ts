/**
 * What the service is made of and what it tells its host: its options, one exchange, one event a request.
 * Types only; create-service.ts puts them together.
 */
import type { Hono, MiddlewareHandler } from "hono";
import type { Detector, Verdict } from "../detect/verdict.ts";
import type { ListQuery, RecordedString } from "../record/store.ts";
import type { GateOptions } from "./gate.ts";
import type { Format } from "./negotiate.ts";

/** Where a request came from, as far as the host knows. */
export interface Client {
  /** The address of the peer of the connection, undefined once it is gone. */
  readonly address: string | undefined;
}

/** Whoever remembers what was evaluated. */
export interface RecordKeeper {
  /** Told every verdict of Check before it is sent; must be quick and must not throw. */
  note(verdict: Verdict): void;
  /** Pages of recorded strings, the last seen first; where it is absent, List shows the catalogue only. */
  list?(query: ListQuery): AsyncIterable<readonly RecordedString[]>;
  /** How many strings `list` would have. Both reject where the record cannot be read. */
  count?(query: ListQuery): Promise<number>;
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
  readonly verdict: Verdict | undefined;
  /** Only where the status is 500. */
  readonly error: unknown;
}

/** Everything `createService` takes; only `detector` is required. */
export interface ServiceOptions {
  readonly detector: Detector;
  readonly record?: RecordKeeper;
  /** Whether a caller with this `Authorization` header sees recorded strings in List; everybody does without it. */
  readonly seesEvaluated?: (authorization: string | null) => boolean;
  /** Who may ask, how often, and from which pages; everybody, always, and none without it. */
  readonly gate?: GateOptions;
  /** What /readyz says; always ready without it. */
  readonly readiness?: () => Readiness;
  /** What /metrics shows; it is not there without it. */
  readonly metrics?: () => Promise<MetricsPage>;
  /** Called once a request; must not throw. Without it nothing is measured. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Makes the id of a request whose client sent none that is sane. */
  readonly requestId?: () => string;
  /** The expression in other spellings, by the name that `?flavor=` takes; `portable` is always there. */
  readonly flavors?: Readonly<Record<string, string>>;
  /** Longest accepted body; 64 KiB without it. */
  readonly maxBodyBytes?: number;
  /** Runs around every route. Check then takes the way through the router, too. */
  readonly middleware?: readonly MiddlewareHandler<ServiceEnv>[];
  /** Adds routes, such as metrics or a web page; they come before the service's own, except Check. */
  readonly routes?: (app: Hono<ServiceEnv>) => void;
  /** What a runtime can do faster than the web's own interfaces. */
  readonly platform?: Platform;
}

/** Quicker ways that only the host knows. */
export interface Platform {
  /** A quicker `Response` for short texts, such as srvx's `FastResponse` on Node. */
  readonly Response?: typeof Response;
  /** Reads a whole body, which the host's protocol keeps to its Content-Length. */
  readonly readBody?: (request: Request) => Promise<ArrayBuffer | Uint8Array>;
}

/** One request on its way to its answer. */
export interface Exchange {
  readonly request: Request;
  readonly requestId: string;
  /** The format that the path fixes, if it does. */
  format: Format | undefined;
  /** The format that was chosen, by path or by header. */
  answerFormat: Format | undefined;
  route: string;
  verdict: Verdict | undefined;
  error: unknown;
}

/** What handlers find in Hono's context: `c.env`. */
export interface ServiceEnv {
  Bindings: { readonly exchange: Exchange; readonly client: Client | undefined };
}

/** Answers one exchange. */
export type Handler = (exchange: Exchange) => Response | Promise<Response>;
