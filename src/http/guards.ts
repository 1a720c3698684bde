/**
 * Optional checks before every handler: rate limits, tokens, pages of other origins, HSTS. The host compares tokens and counts
 * requests; this file does the HTTP part.
 */
import { type Allowance, toRetryAfter } from "../cache/token-buckets.ts";
import type { Answer, Forwarded, IncomingRequest, RequestContext, Route } from "./context.ts";
import { Problem } from "./problems.ts";

/** Counts one request of a client. */
export type CountRequest = (address: string) => Allowance;

export interface GuardOptions {
  /** Whether an `Authorization` header carries a token; must take constant time for all headers. */
  readonly authorize?: (authorization: string | null) => boolean;
  readonly limit?: CountRequest;
  /** The client's address behind proxies; without it, the peer's address is used. */
  readonly addressOf?: (request: Pick<IncomingRequest, "headers" | "clientAddress">) => string | undefined;
  /** Origins whose pages may read answers; `*` for all. If it is given, pages of other sites cannot send a Check or CheckMany. */
  readonly corsOrigins?: readonly string[];
  /** Whether a `Host` header names this service. Default: any host does. */
  readonly isOwnHost?: ((host: string) => boolean) | undefined;
  readonly hstsSeconds?: number;
}

/** Finds the client that a limit applies to; the address is looked up lazily. */
export type ClientOf = (request: IncomingRequest) => { readonly client: string };

/** Makes the function that finds the client; without `addressOf` it is the peer of the connection. */
export function createClientOf(addressOf: GuardOptions["addressOf"] = (request) => request.clientAddress): ClientOf {
  return (request) => ({
    get client() {
      return addressOf(request) ?? "unknown";
    },
  });
}

/** Writes headers of the answer into `added`. Throws a Problem or returns an answer if the request ends here. */
export type Guard = (
  context: RequestContext,
  route: Pick<Route, "method" | "path" | "isPublic" | "skipsRateLimit" | "takesAnyHost">,
  added: Record<string, string>,
) => Answer | undefined;

/** Makes the configured guards, in the order in which they run. */
export function createGuards(options: GuardOptions, forwarded?: Forwarded): Guard[] {
  const { authorize, limit, addressOf, corsOrigins = [], isOwnHost, hstsSeconds } = options;
  const guards: Guard[] = [];
  if (hstsSeconds !== undefined) {
    guards.push((_context, _route, added) => {
      added["strict-transport-security"] = `max-age=${hstsSeconds}`;
      return undefined;
    });
  }
  if (isOwnHost !== undefined) guards.push(createHostGuard(isOwnHost));
  if (corsOrigins.length > 0) guards.push(createOriginGuard(corsOrigins));
  if (options.corsOrigins !== undefined) guards.push(createSiteGuard(forwarded));
  // Before the token is checked, so that guessing tokens is also rate-limited. Not at /auth, whose requests all come from the proxy: a
  // mistyped token must not turn all visitors away.
  if (limit !== undefined) guards.push(createLimitGuard(limit, createClientOf(addressOf)));
  if (corsOrigins.length > 0) guards.push(answerPreflight);
  if (authorize !== undefined) {
    guards.push((context, route) => {
      if (route.isPublic || authorize(context.request.headers.get("authorization"))) return undefined;
      throw new Problem("unauthorized", needed, { "www-authenticate": "Bearer" });
    });
  }
  return guards;
}

const needed = "Send one of the operator's tokens: Authorization: Bearer …";

function createLimitGuard(limit: CountRequest, clientOf: ClientOf): Guard {
  return ({ request }, route, added) =>
    route.skipsRateLimit ? undefined : apply(limit(clientOf(request).client), added);
}

/** Returns the client's allowance. Throws a Problem if it is used up. */
function apply(allowance: Allowance, added: Record<string, string>): undefined {
  const { isAllowed, quota, windowSeconds, remaining, resetSeconds } = allowance;
  // The fields of draft-ietf-httpapi-ratelimit-headers, as structured fields.
  added["ratelimit-policy"] = `"client";q=${quota};w=${windowSeconds}`;
  added.ratelimit = `"client";r=${remaining};t=${Math.ceil(resetSeconds)}`;
  if (isAllowed) return undefined;
  const retryAfter = toRetryAfter(resetSeconds);
  const detail = `${quota} requests are allowed in ${windowSeconds} s; try again in ${retryAfter} s.`;
  throw new Problem("too-many-requests", detail, { "retry-after": retryAfter });
}

/** Refuses hosts that are not this service's. A request without `Host` comes from no browser. */
function createHostGuard(isOwnHost: (host: string) => boolean): Guard {
  return ({ request }, { takesAnyHost }) => {
    const host = request.headers.get("host") ?? "";
    if (takesAnyHost || host === "" || isOwnHost(host)) return undefined;
    throw new Problem("misdirected", otherHost);
  };
}

const otherHost = "Use the address that the service prints when it starts; behind a proxy, set `trust-proxy`.";

/** Refuses what a page of another site makes a browser send: its strings would be recorded. */
function createSiteGuard(forwarded: Forwarded | undefined): Guard {
  return ({ request }, { path }, added) => {
    if (request.method !== "POST" || !path.startsWith("/RestService/")) return undefined;
    if (added["access-control-allow-origin"] !== undefined) return undefined;
    const site = request.headers.get("sec-fetch-site");
    const isRefused = site ? site === "cross-site" : isOfOtherHost(request, forwarded);
    if (isRefused) throw new Problem("cross-site", otherSite);
    return undefined;
  };
}

const otherSite =
  "To allow this page, add its origin to `cors-origin`. If it is the service's own page, the proxy must keep `Host` or send `X-Forwarded-Host`.";

/** Whether a page of another host sends a request. Browsers send no `Sec-Fetch-Site` over plain HTTP to other machines, but `Origin`. */
function isOfOtherHost(request: IncomingRequest, forwarded: Forwarded | undefined): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  const own = [request.origin, forwarded?.hostOf(request) ?? ""].map(toHost).filter((host) => host !== "");
  return origin === "null" || !own.includes(toHost(origin));
}

/** Host and port. The scheme does not count, because a proxy may have another one, nor does a default port. */
function toHost(origin: string): string {
  return origin.toLowerCase().replace(/^[a-z][a-z0-9+.-]*:\/\/|:(?:80|443)$/g, "");
}

/** Lets pages of allowed origins read answers. */
function createOriginGuard(origins: readonly string[]): Guard {
  const isAny = origins.includes("*");
  return ({ request: { headers } }, _route, added) => {
    // Also for refused origins: caches must not serve this answer to a page from an allowed origin.
    if (!isAny) added.vary = "Origin";
    const origin = headers.get("origin");
    if (origin === null || !(isAny || origins.includes(origin))) return undefined;
    added["access-control-allow-origin"] = isAny ? "*" : origin;
    added["access-control-expose-headers"] = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Lossy, X-Request-Id";
    return undefined;
  };
}

/**
 * Answers browsers' CORS preflight requests, which carry no token. A preflight that a proxy asks about on behalf of a client is not ours to
 * answer.
 */
const answerPreflight: Guard = ({ request: { headers, method } }, route, added) => {
  if (method !== "OPTIONS" || route.method === "any" || added["access-control-allow-origin"] === undefined)
    return undefined;
  return headers.get("access-control-request-method") === null
    ? undefined
    : { status: 204, headers: preflight, body: null };
};

const preflight = {
  "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
  "access-control-allow-headers": "Accept, Authorization, Content-Type, If-None-Match, X-Request-Id",
  "access-control-max-age": "7200",
};
