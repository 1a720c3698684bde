/**
 * /auth: whether a proxy should let a request through, for nginx's auth_request, Caddy's forward_auth, Traefik's ForwardAuth
 * and Envoy's ext_authz. Reads the original request's headers; the policy is in the query, or below /auth/ in a header.
 */

import { decide, isForRobotsTxt } from "../../detect/policy/decide.ts";
import type { Verdict } from "../../detect/verdict.ts";
import type { Answer, Handler, HeaderReader, IncomingRequest, RequestContext, Route } from "../../http/context.ts";
import { answerFormatNames } from "../../http/formats.ts";
import type { Operation } from "../../http/operation.ts";
import { Problem } from "../../http/problems.ts";
import { readsEvidence, verifyVerdict } from "../../verify/verify-verdict.ts";
import type { Deps } from "../deps.ts";
import { parameters, problemResponses } from "../describe/openapi-parts.ts";
import { acceptSignature, createToAuthHeaders, describedHeaders, toSignalHeaders } from "./auth-headers.ts";
import { type AuthPolicies, type AuthPolicy, authParameters } from "./auth-policies.ts";

const noAddress = "the service does not know clients' addresses; set `trust-proxy` to the number of proxies.";
const noNetworks = "the setting `networks` is off.";
const noRobots = "the service does not know the site's robots.txt; set `robots-file`.";

/** Has a route of its own, because Bun normalizes paths below a route: /auth/a/../robots.txt is not /auth/robots.txt. */
const authRobotsTxt = "/auth/robots.txt";

/** Makes the routes of /auth, which remember `policies`. The description of the first covers the others. */
export function createAuthRoutes(deps: Deps, policies: AuthPolicies): Route<Verdict>[] {
  // All requests come from the proxy, which interprets 429 as a verdict, so they must not be rate-limited.
  const route = {
    method: "any",
    skipsRateLimit: true,
    takesAnyHost: true,
    handler: createAuth(deps, policies),
  } as const;
  return [
    { ...route, path: "/auth", operation: describeAuth, prepare: () => policies.prepare() },
    { ...route, path: authRobotsTxt },
    { ...route, path: "/auth/*" },
  ];
}

/** Makes the handler: 204, 403 or 429, below /auth/ 200, 403 or 429, each with the facts about the crawler in headers. */
function createAuth(
  { detector, record, readers, isDisallowed, forwarded, takeOne }: Deps,
  policies: AuthPolicies,
): Handler<Verdict> {
  const noVerification = readers.verifier && forwarded ? undefined : noAddress;
  const missing = {
    verification: noVerification,
    address: noVerification,
    network: forwarded ? (readers.networks ? undefined : noNetworks) : noAddress,
  };
  const toAuthHeaders = createToAuthHeaders(missing);
  const quietReaders = { ...readers, signals: undefined };
  policies.use({ crawlers: detector.catalogue.items, missing, robots: isDisallowed ?? noRobots });

  function authorizeBy(
    context: RequestContext<Verdict>,
    { rules, namesSignal, asksSignature, mistake, mistakeWithoutPath }: AuthPolicy,
    paths: readonly string[],
    verdict: Verdict,
  ): Answer {
    context.outcome = verdict;
    record?.note(verdict);
    const facts = toAuthHeaders(verdict);
    const headers = namesSignal ? { ...facts, ...toSignalHeaders(verdict) } : facts;
    const wrong = paths.length === 0 ? (mistake ?? mistakeWithoutPath) : mistake;
    if (wrong !== undefined && verdict.crawler && !isForRobotsTxt(paths))
      throw new Problem("wrong-policy", wrong, { ...headers, "retry-after": "60" });
    const { action, retryAfter } = decide(rules, takeOne, paths, () => verdict);
    if (action === "limit") return { status: 429, headers: { ...headers, "retry-after": retryAfter }, body: null };
    if (action === "refuse")
      return { status: 403, headers: asksSignature ? { ...headers, ...acceptSignature } : headers, body: null };
    // Envoy lets a request through only for status 200; the others, for any status from 200 to 299.
    return { status: context.route === "/auth" ? 204 : 200, headers, body: null };
  }

  return function auth(context) {
    const { request, rest, route } = context;
    // Envoy puts the client's path and query behind /auth: there neither they nor other headers of the client are trusted.
    const isBelow = route !== "/auth";
    const policy = policies.read(isBelow ? request.headers.get("x-crawler-policy") : request.query, context);
    const below = route === authRobotsTxt ? "robots.txt" : rest;
    const paths = isBelow
      ? [request.query === "" ? `/${below}` : `/${below}?${request.query}`]
      : pathsIn(request.headers);
    if (policy.mistakeWithoutPath !== undefined && paths.length === 0) policies.noteWithoutPath(context);
    const verdict = detector.check(request.headers.get("user-agent") ?? "");
    if (!readsEvidence(readers) && !policy.namesSignal) return authorizeBy(context, policy, paths, verdict);
    const method = isBelow ? request.method : request.headers.get("x-forwarded-method");
    const host = (isBelow ? undefined : forwarded?.hostOf(request)) ?? request.headers.get("host");
    const evidence = { ip: forwarded?.addressOf(request), headers: toOriginal(request, method, host, paths[0] ?? "") };
    // Lookups count towards the visitor's share, not that of the proxy, which asks for all visitors.
    const lookupClient = { client: evidence.ip ?? "unknown" };
    const known = policy.namesSignal ? readers : quietReaders;
    const verified = verifyVerdict(known, verdict, evidence, policy.waitMs, lookupClient);
    return verified instanceof Promise
      ? verified.then((verdict) => authorizeBy(context, policy, paths, verdict))
      : authorizeBy(context, policy, paths, verified);
  };
}

/**
 * The original path and query. A proxy sends one of the headers; if a client adds the other one, it is refused if either path is
 * disallowed.
 */
function pathsIn(headers: HeaderReader): readonly string[] {
  const paths = [headers.get("x-forwarded-uri"), headers.get("x-original-uri")].filter(
    (path) => path !== null && path !== "",
  );
  return paths as string[];
}

/** The original request's headers, and what signatures may cover beside them. */
function toOriginal(
  { headers }: IncomingRequest,
  method: string | null,
  host: string | null,
  target: string,
): HeaderReader {
  return {
    get(name) {
      if (name === ":method") return method;
      if (name === ":authority") return host;
      if (name === ":path") return target === "" ? null : target;
      return name.startsWith(":") ? null : headers.get(name);
    },
  };
}

function describeAuth(): Operation {
  const problems = problemResponses(answerFormatNames, ["bad-header", "unauthorized", "wrong-policy", "internal"]);
  return {
    operationId: "auth",
    tags: ["Service"],
    summary: "Tell a proxy whether to allow a request",
    description:
      "For nginx's auth_request, Caddy's forward_auth, Traefik's ForwardAuth, and Envoy's ext_authz, which may add the original " +
      "path and use any method. Reads the original request's `User-Agent`, and its path from `X-Forwarded-Uri` or `X-Original-URI`: " +
      "robots.txt is always allowed. Below `/auth/`, which is for Envoy, the answer is 200 instead of 204, the path is what " +
      "follows `/auth`, and the policy is in the header `X-Crawler-Policy`. With `trust-proxy`, crawlers are verified by their address in " +
      "`X-Forwarded-For`, and by their signatures for the host in `X-Forwarded-Host` (`authority`); each answer has the client's network, and whose crawlers have the address. " +
      "A word of the policy that cannot be used is left out, and `/readyz` has a warning. A policy without a word that can be used, or with " +
      "another mistake, allows people and blocks every crawler with 429. " +
      "A policy with a signal, such as `signal:client-hints-missing`, reads the other header fields of the original request, too.",
    parameters: parameters(authParameters),
    responses: {
      204: { description: "Allow the request.", headers: describedHeaders },
      403: {
        description: "The policy in the query blocks this client. `Accept-Signature` is sent with `ask=signature`.",
        headers: { ...describedHeaders, "Accept-Signature": { schema: { type: "string" } } },
      },
      ...problems,
      429: {
        ...problems[429],
        description: `The crawler exceeds its \`limit\`; there is no body. A policy with a mistake blocks every crawler in this way. ${problems[429]?.description}`,
        headers: { ...describedHeaders, "Retry-After": { schema: { type: "integer" } } },
      },
    },
  };
}
