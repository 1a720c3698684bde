/**
 * What the pipeline passes on: a request as the runtime's file makes it, its context, its route, and the answer as a value.
 * fetch.ts and the host's files make requests and send answers, pipeline.ts makes contexts.
 */
import type { AnswerFormat } from "./formats.ts";
import type { Operation } from "./operation.ts";

/** A request as the service reads it, the same for every runtime. */
export interface IncomingRequest {
  readonly method: string;
  /** The requested scheme, host and port, such as `http://localhost:8080`; "" for an invalid `Host`. Computed on access. */
  readonly origin: string;
  /** The path as it was sent: not decoded, not normalized. */
  readonly path: string;
  /** The text after `?`, as it was sent; may be empty. */
  readonly query: string;
  readonly headers: HeaderReader;
  /** The length of the body as declared by the head, which the protocol enforces; undefined if there is no valid one. */
  readonly declaredBytes: number | undefined;
  /** The address of the connection's peer; undefined once it is gone. Looked up on access. */
  readonly clientAddress: string | undefined;
  /** Aborts when the client goes away before it has its answer. Created on access. */
  readonly signal: AbortSignal;
  /** Whether reading the body has begun. */
  readonly isBodyTaken: boolean;
  /** Reads the whole body, once, as it was sent; `readBounded` of bodies.ts decompresses it. Rejects with a BodyError. */
  readBody(maxBytes: number): Promise<Uint8Array>;
}

/** Header fields by their names in lower case; a field that was sent several times has its values joined by `, `. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** The value of a `Content-Length` header; undefined if it is missing or malformed. */
export function parseDeclaredBytes(contentLength: string | null | undefined): number | undefined {
  return contentLength && /^\d+$/.test(contentLength) ? Number(contentLength) : undefined;
}

/** Why a body could not be read; answered with the problem of that name. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly reason: "too-large" | "too-slow" | "gone" | "damaged";

  constructor(reason: BodyError["reason"], maxBytes = 0) {
    super(
      {
        "too-large": `A body may have at most ${maxBytes.toLocaleString("en")} bytes.`,
        "too-slow": "The body did not arrive in time.",
        gone: "The body ended early.",
        damaged: "The body is not gzip, or is truncated.",
      }[reason],
    );
    this.reason = reason;
  }
}

/**
 * The origin of a URL; "" if it is not a valid URL or its host has other characters than names and addresses have: pages show it in commands
 * to copy.
 */
export function originOf(url: string): string {
  if (!URL.canParse(url)) return "";
  const { origin, host } = new URL(url);
  return /^[\w.:[\]-]+$/.test(host) ? origin : "";
}

/** What trusted proxies say about their client's request; each is undefined where they say nothing. */
export interface Forwarded {
  /** The client's address. */
  addressOf(request: Pick<IncomingRequest, "headers">): string | undefined;
  /** The host that the client requested, if `Host` does not have it. */
  hostOf(request: Pick<IncomingRequest, "headers">): string | undefined;
  /** The scheme, host and port that the client requested, such as `https://example.com`, if the request itself does not have them. */
  originOf(request: Pick<IncomingRequest, "headers">): string | undefined;
}

/** Makes the function that finds the service's own address as its client sees it, such as `https://example.com/bots`. */
export function createServedAddressOf(
  forwarded: Forwarded | undefined,
): (context: Pick<RequestContext, "request" | "basePath">) => string {
  return ({ request, basePath }) => (forwarded?.originOf(request) ?? request.origin) + basePath;
}

/** The body of an answer. A stream is read only as fast as the client reads. */
export type Body = string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>;

/**
 * The result of a handler. The pipeline adds `X-Request-Id` and the usual headers; HEAD leaves the body out. `return()`
 * is called on the iterator of a stream when the client goes away, also before its first piece.
 */
export interface Answer {
  readonly status: number;
  /** Names are in lowercase. `shareHeaders` of fetch.ts speeds up headers that many answers share. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | null;
}

/** Answers without a body, such as 204 or a redirection. */
export function answerEmpty(status: 204 | 302 | 308, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: null };
}

/** A request on its way through guards and handler. `Outcome` is what a handler reports about it, for the log and metrics. */
export interface RequestContext<Outcome = unknown> {
  readonly request: IncomingRequest;
  /** The id that the answer carries as `X-Request-Id`. */
  readonly requestId: string;
  /** The prefix of every path if the service is mounted below another, such as `/bots`; else empty. */
  readonly basePath: string;
  /** The path of its route, such as `/RestService/Check`; `*` if there is none. */
  readonly route: string;
  /** The part of the path that matched the `*` of a route such as `/crawlers/*`, as it was sent; else empty. */
  readonly rest: string;
  /** The format that the route fixes, for answers and problems alike; undefined if `Accept` chooses. */
  readonly format: AnswerFormat | undefined;
  /** What the handler has found out, for the log and metrics. */
  outcome: Outcome | undefined;
  /** The name of the problem that it was answered with, for the log. */
  problem: string | undefined;
  /** The error of a failed handler, for the log. */
  error: unknown;
  /** What the operator should know about a request that was answered, for the log. */
  warning: string | undefined;
}

/** Answers a request. A thrown Problem becomes the answer; any other error becomes a 500 without details. */
export type Handler<Outcome = unknown> = (context: RequestContext<Outcome>) => Answer | Promise<Answer>;

/** One row of the table of routes. HEAD goes where GET goes; OPTIONS and 405 are answered from the table. */
export interface Route<Outcome = unknown> {
  /** A literal path, or one that ends in `/*` and takes every path below it. */
  readonly path: string;
  /** `any` is for requests that a proxy makes on behalf of a client, with the client's method. */
  readonly method: "GET" | "POST" | "any";
  readonly format?: AnswerFormat | undefined;
  /** Whether it is answered without a token; health and documents are. */
  readonly isPublic?: boolean;
  /** Whether it is exempt from the rate limit: only health checks, assets and requests from proxies. */
  readonly skipsRateLimit?: boolean;
  /** Whether it is answered whatever `Host` names: requests from proxies, probes, and lists for programs. */
  readonly takesAnyHost?: boolean;
  readonly handler: Handler<Outcome>;
  /** Prepares in parts what its first answer would otherwise have to wait for. */
  readonly prepare?: () => Generator<undefined, void>;
  /** The route's part of the OpenAPI description; absent if it is not for programs or another route's description covers it. */
  readonly operation?: () => Operation;
}
