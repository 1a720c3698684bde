/**
 * What stands before every route where the operator asks for it: limits of rate, tokens, pages of other origins, HSTS.
 * Who has a token and who asked how often is the host's knowledge; this file speaks HTTP about it.
 */
import type { Client, Exchange } from "./options.ts";
import { problem } from "./problems.ts";
import { secureHeaders } from "./secure-headers.ts";

/** What is left to a client after a request. */
export interface Allowance {
  readonly isAllowed: boolean;
  /** Requests in a window, the window, what is left of it, and when it is whole again. */
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface GateOptions {
  /** Whether an `Authorization` header carries a token; must take as long for one as for any other. */
  readonly authorize?: (authorization: string | null) => boolean;
  /** Counts one request of a client. */
  readonly limit?: (address: string) => Allowance;
  /** The client's address, where proxies stand in between; the peer's without it. */
  readonly addressOf?: (headers: Headers, peer: string | undefined) => string | undefined;
  /** Origins whose pages may read answers; `*` for all. */
  readonly corsOrigins?: readonly string[];
  readonly hstsSeconds?: number;
}

type Respond = (exchange: Exchange, client: Client | undefined) => Response | Promise<Response>;
export type Gate = (exchange: Exchange, client: Client | undefined, respond: Respond) => Promise<Response>;

/** Probes come from machines that have no token and must not be counted. */
const open = new Set(["/healthz", "/readyz"]);

/** Makes the gate; undefined where nothing is asked for, so that it costs nothing. */
export function createGate(options: GateOptions, pathOf: (url: string) => string): Gate | undefined {
  const { authorize, limit, addressOf, corsOrigins = [], hstsSeconds } = options;
  const fixed: Record<string, string> = {};
  if (hstsSeconds !== undefined) fixed["strict-transport-security"] = `max-age=${hstsSeconds}`;
  const isIdle = authorize === undefined && limit === undefined && corsOrigins.length === 0;
  if (isIdle && hstsSeconds === undefined) return undefined;

  return async function pass(exchange, client, respond) {
    const { headers, method, url } = exchange.request;
    const added: Record<string, string> = { ...fixed };
    const isCors = allowOrigin(corsOrigins, headers.get("origin"), added);
    const finish = (response: Response) => withHeaders(response, added);
    if (isCors && method === "OPTIONS" && headers.has("access-control-request-method")) {
      return finish(preflight(exchange));
    }
    if (!open.has(pathOf(url))) {
      const allowance = limit?.((addressOf ?? peerOf)(headers, client?.address) ?? "unknown");
      if (allowance !== undefined) describe(allowance, added);
      if (allowance?.isAllowed === false) {
        const retryAfter = Math.max(1, Math.ceil(allowance.resetSeconds));
        const detail = `${allowance.quota} requests are allowed in ${allowance.windowSeconds} s; try again in ${retryAfter} s.`;
        return finish(problem(exchange, "too-many-requests", { detail }, { "retry-after": String(retryAfter) }));
      }
      if (authorize !== undefined && !authorize(headers.get("authorization"))) {
        return finish(problem(exchange, "unauthorized", needed, { "www-authenticate": "Bearer" }));
      }
    }
    return finish(await respond(exchange, client));
  };
}

const needed = { detail: "Show one of the operator's tokens: Authorization: Bearer …" };
const peerOf = (_: Headers, peer: string | undefined) => peer;

/** Lets pages of an allowed origin read the answer; tells whether the request is from such a page. */
function allowOrigin(origins: readonly string[], origin: string | null, added: Record<string, string>): boolean {
  if (origins.length === 0) return false;
  const isAny = origins.includes("*");
  // Also where it is not allowed: caches must not give this answer to a page that is.
  if (!isAny) added.vary = "Origin";
  if (origin === null || !(isAny || origins.includes(origin))) return false;
  added["access-control-allow-origin"] = isAny ? "*" : origin;
  added["access-control-expose-headers"] = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
  return true;
}

function preflight(exchange: Exchange): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
      "access-control-allow-headers": "Accept, Authorization, Content-Type, If-None-Match, X-Request-Id",
      "access-control-max-age": "7200",
      ...secureHeaders,
      "x-request-id": exchange.requestId,
    },
  });
}

/** The fields of draft-ietf-httpapi-ratelimit-headers, as structured fields. */
function describe({ quota, windowSeconds, remaining, resetSeconds }: Allowance, added: Record<string, string>): void {
  added["ratelimit-policy"] = `"client";q=${quota};w=${windowSeconds}`;
  added.ratelimit = `"client";r=${remaining};t=${Math.ceil(resetSeconds)}`;
}

function withHeaders(response: Response, added: Readonly<Record<string, string>>): Response {
  try {
    addTo(response.headers, added);
    return response;
  } catch {
    // Answers that come from fetch, in a route that was added from outside, cannot be changed.
    const copy = new Response(response.body, response);
    addTo(copy.headers, added);
    return copy;
  }
}

function addTo(headers: Headers, added: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(added)) {
    const before = name === "vary" ? headers.get(name) : null;
    headers.set(name, before === null ? value : `${before}, ${value}`);
  }
}
