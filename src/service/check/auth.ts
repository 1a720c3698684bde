/**
 * /auth: whether a proxy should let a request through, for nginx's auth_request, Caddy's forward_auth, Traefik's ForwardAuth
 * and Envoy's ext_authz. Reads the original request's headers; the policy is in the query, or below /auth/ in a header.
 */

import { LRUCache } from "lru-cache";
import { type Allowance, type TakeOne, toRetryAfter } from "../../cache/token-buckets.ts";
import { type CountOf, limitKeys, parseLimits, splitLimits } from "../../detect/policy/limits.ts";
import {
  findCancelledBlock,
  type IsDisallowed,
  isRobotsTxt,
  type MissingEvidence,
  namesDisallowed,
  type Policy,
  parsePolicy,
  type RobotsEvidence,
} from "../../detect/policy/policy.ts";
import { type Choosable, SelectionError, splitWords } from "../../detect/policy/selection.ts";
import type { Detector, Verdict } from "../../detect/verdict.ts";
import type { Answer, Handler, HeaderReader, IncomingRequest, RequestContext, Route } from "../../http/context.ts";
import { answerFormatNames } from "../../http/formats.ts";
import type { Operation } from "../../http/operation.ts";
import { Problem } from "../../http/problems.ts";
import { anyText, flag, oneWord, type Parameter, parseQuery, refuseUnknown } from "../../http/query.ts";
import { type EvidenceReaders, readsEvidence, verifyVerdict } from "../../verify/verify-verdict.ts";
import { guarded, parameters, problemResponses } from "../describe/openapi-parts.ts";
import type { RecordKeeper } from "../options.ts";
import { acceptSignature, describedHeaders, toHeaders, toHeadersWithNetwork, toSignalHeaders } from "./auth-headers.ts";
import { longestWaitMs } from "./check-request.ts";

function waitTime(about: string): Parameter<number> {
  return {
    about,
    example: 500,
    schema: { type: "integer", minimum: 0, maximum: longestWaitMs },
    parse(text, name) {
      const ms = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
      if (!(ms <= longestWaitMs)) throw new Error(`\`${name}\` is a whole number from 0 to ${longestWaitMs}.`);
      return ms;
    },
  };
}

const authParameters = {
  block: anyText(
    "Crawlers that get 403: categories, optionally with a purpose, names, `spoofed`, `unproven`, `disallowed` by robots.txt, networks (`network:tor`) and signals (`signal:no-sec-fetch`), separated by commas.",
    "ai,seo,spoofed,unproven",
  ),
  allow: anyText(
    "Exceptions that are allowed, but not if `block` names `spoofed` or `unproven`; `verified` means verified crawlers.",
    "ai:search,ai:agent",
  ),
  limit: anyText(
    "How often crawlers may ask before they get 429: words, as in `block`, each with a rate per second (`/s`), minute (`/m`) or hour (`/h`). The most specific word applies.",
    "ai:30/m,GPTBot:10/m",
  ),
  "limit-by": oneWord(
    limitKeys,
    "What `limit` counts together: requests of a crawler's name (default), or of all crawlers of an operator.",
  ),
  wait: waitTime("Maximum time to wait for the verification of a crawler, in milliseconds; default 0."),
  ask: oneWord(["signature"], "`signature` adds `Accept-Signature` to 403, which asks the client to sign its request."),
  observe: flag("No request gets 403 or 429, to try a policy."),
};

/** A proxy has one or a few policies. */
const mostPolicies = 100;

const noAddress = "the service does not know the address of any client; set `trust-proxy` to the number of proxies.";

const noNetworks = "the setting `networks` is off.";

const noRobots = "the service does not know the site's robots.txt; set `robots-file`.";

const noPath =
  "The policy of /auth names `disallowed`, and the request has no path: let the proxy send X-Forwarded-Uri or X-Original-URI.";

export interface AuthParts {
  readonly detector: Detector;
  readonly record: RecordKeeper | undefined;
  readonly readers: EvidenceReaders;
  /** What the site's robots.txt disallows, if it is known. */
  readonly isDisallowed: IsDisallowed | undefined;
  /** The address of the proxy's client, as the proxy sends it; undefined without trusted proxies. */
  readonly forwardedAddressOf: ((request: IncomingRequest) => string | undefined) | undefined;
  /** The host that the proxy's client requested; undefined without trusted proxies. */
  readonly forwardedHostOf: ((request: IncomingRequest) => string | undefined) | undefined;
  /** Counts the requests of crawlers that a policy limits. */
  readonly takeOne: TakeOne;
}

interface AuthQuery {
  readonly refuses: Policy;
  /** Gives the count of a request; undefined if the policy limits no crawler. */
  readonly countOf: CountOf | undefined;
  /** Whether the policy names a signal; only then they are looked for. */
  readonly namesSignal: boolean;
  /** Whether the policy names `disallowed`, so that it needs the path. */
  readonly namesDisallowed: boolean;
  readonly waitMs: number;
  readonly asksSignature: boolean;
  /** What the policy does that is seldom meant. */
  readonly warning: string | undefined;
}

/** Has a route of its own, because Bun normalizes paths below a route: /auth/a/../robots.txt is not /auth/robots.txt. */
const authRobotsTxt = "/auth/robots.txt";

/** Makes the routes of /auth. The description of the first covers the others. */
export function createAuthRoutes(parts: AuthParts): Route<Verdict>[] {
  const route = { method: "any", handler: createAuth(parts) } as const;
  return [
    { ...route, path: "/auth", operation: describeAuth },
    { ...route, path: authRobotsTxt, operation: "none" },
    { ...route, path: "/auth/*", operation: "none" },
  ];
}

/** Makes the handler: 204, 403 or 429, below /auth/ 200, 403 or 429, each with the facts about the crawler in headers. */
function createAuth({
  detector,
  record,
  readers,
  isDisallowed,
  forwardedAddressOf,
  forwardedHostOf,
  takeOne,
}: AuthParts): Handler<Verdict> {
  const missing = {
    verification: readers.verifier && forwardedAddressOf ? undefined : noAddress,
    network: forwardedAddressOf ? (readers.networks ? undefined : noNetworks) : noAddress,
  };
  const toAnswerHeaders = missing.network === undefined ? toHeadersWithNetwork : toHeaders;
  const quietReaders = { ...readers, signals: undefined };
  const queries = new LRUCache<string, AuthQuery | Problem>({ max: mostPolicies });

  /** Reads a query once. A wrong one is logged when it is read, because proxies may hide the 400. */
  function read(query: string | null, context: RequestContext<Verdict>): AuthQuery {
    // No query has NUL.
    const key = query ?? "\0";
    let known = queries.get(key);
    if (known === undefined) {
      known = parseAuthQuery(query, detector.catalogue.items, missing, isDisallowed ?? noRobots);
      queries.set(key, known);
      if (known instanceof Problem) context.error = `The policy of /auth is wrong. ${known.details.detail}`;
      else if (known.warning !== undefined) context.error = `The policy of /auth: ${known.warning}`;
    }
    if (known instanceof Problem) throw known;
    return known;
  }

  function conclude(
    context: RequestContext<Verdict>,
    { refuses, countOf, namesSignal, asksSignature }: AuthQuery,
    paths: readonly string[],
    verdict: Verdict,
  ): Answer | Promise<Answer> {
    context.outcome = verdict;
    record?.note(verdict);
    // Envoy lets a request through for status 200 only, the others for each of 200 to 299.
    const letThrough = context.route === "/auth" ? 204 : 200;
    const facts = toAnswerHeaders(verdict);
    const headers = namesSignal ? { ...facts, ...toSignalHeaders(verdict) } : facts;
    const isRefused =
      paths.length === 0 ? refuses("", () => verdict) : paths.some((path) => refuses(path, () => verdict));
    if (isRefused)
      return { status: 403, headers: asksSignature ? { ...headers, ...acceptSignature } : headers, body: null };
    const isCounted = paths.length === 0 || !paths.every(isRobotsTxt);
    const counted = isCounted ? countOf?.(verdict) : undefined;
    if (counted === undefined) return { status: letThrough, headers, body: null };
    const answer = ({ isAllowed, resetSeconds }: Allowance): Answer =>
      isAllowed
        ? { status: letThrough, headers, body: null }
        : { status: 429, headers: { ...headers, "retry-after": toRetryAfter(resetSeconds) }, body: null };
    const allowance = takeOne(counted.key, counted.rate);
    return allowance instanceof Promise ? allowance.then(answer) : answer(allowance);
  }

  return function auth(context) {
    const { request, rest, route } = context;
    // Envoy puts the client's path and query behind /auth: there neither they nor other headers of the client are trusted.
    const isBelow = route !== "/auth";
    const query = read(isBelow ? request.headers.get("x-crawler-policy") : request.query, context);
    const below = route === authRobotsTxt ? "robots.txt" : rest;
    const paths = isBelow
      ? [request.query === "" ? `/${below}` : `/${below}?${request.query}`]
      : pathsIn(request.headers);
    if (query.namesDisallowed && paths.length === 0) {
      context.error = noPath;
      throw new Problem("bad-parameter", noPath);
    }
    const verdict = detector.check(request.headers.get("user-agent") ?? "");
    if (!readsEvidence(readers) && !query.namesSignal) return conclude(context, query, paths, verdict);
    const method = isBelow ? request.method : request.headers.get("x-forwarded-method");
    const host = (isBelow ? undefined : forwardedHostOf?.(request)) ?? request.headers.get("host");
    const evidence = { ip: forwardedAddressOf?.(request), headers: toOriginal(request, method, host, paths[0] ?? "") };
    // The visitor has the share of lookups, not the proxy that asks for all visitors.
    const asker = { client: evidence.ip ?? "unknown" };
    const known = query.namesSignal ? readers : quietReaders;
    const verified = verifyVerdict(known, verdict, evidence, query.waitMs, asker);
    return verified instanceof Promise
      ? verified.then((verdict) => conclude(context, query, paths, verdict))
      : conclude(context, query, paths, verified);
  };
}

/** The original path and query. A proxy sends one of the headers; a client that adds the other one is refused by either path. */
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

function parseAuthQuery(
  query: string | null,
  crawlers: readonly Choosable[],
  missing: MissingEvidence,
  robots: RobotsEvidence,
): AuthQuery | Problem {
  try {
    // A query such as /auth/?block=ai is the client's: without the header there would be no policy.
    if (query === null)
      throw new Problem(
        "bad-parameter",
        "Below /auth/ the policy is in the header X-Crawler-Policy, such as `block=ai`; it is missing.",
      );
    refuseUnknown(query, authParameters);
    const { ask, observe, wait = 0, limit, "limit-by": limitBy, ...words } = parseQuery(query, authParameters);
    if (limitBy !== undefined && limit === undefined)
      throw new Problem("bad-parameter", { parameter: "limit-by", detail: "`limit-by` needs `limit`." });
    const policy = parsePolicy(words, crawlers, missing, robots);
    const namesSignal = splitWords([words.block ?? "", words.allow ?? ""]).some((word) => /^signal:/i.test(word));
    const countOf = limit === undefined ? undefined : parseLimits(splitLimits(limit), limitBy ?? "name", crawlers);
    return {
      refuses: observe ? () => false : policy,
      countOf: observe ? undefined : countOf,
      namesSignal,
      namesDisallowed: namesDisallowed(words),
      waitMs: wait,
      asksSignature: ask !== undefined,
      warning: findCancelledBlock(words),
    };
  } catch (error) {
    if (error instanceof Problem) return error;
    if (error instanceof SelectionError) return new Problem("bad-parameter", error.message);
    throw error;
  }
}

function describeAuth(): Operation {
  const problems = problemResponses(answerFormatNames, ["bad-parameter", ...guarded, "internal"]);
  return {
    operationId: "auth",
    tags: ["Service"],
    summary: "Tell a proxy whether to allow a request",
    description:
      "For nginx's auth_request, Caddy's forward_auth, Traefik's ForwardAuth, and Envoy's ext_authz, which may add the original " +
      "path and use any method. Reads the original request's `User-Agent`, and its path from `X-Forwarded-Uri` or `X-Original-URI`: " +
      "robots.txt is always allowed. Below `/auth/`, which is for Envoy, the answer is 200 instead of 204, the path is what " +
      "follows `/auth`, and the policy is in the header `X-Crawler-Policy`. With `trust-proxy`, crawlers are verified by their address in " +
      "`X-Forwarded-For`, and by their signatures for the host in `X-Forwarded-Host` (`authority`); each answer has the client's network. " +
      "A policy with a signal, such as `signal:client-hints-missing`, reads the other header fields of the original request, too.",
    parameters: parameters(authParameters),
    responses: {
      204: { description: "Allow the request.", headers: describedHeaders },
      403: {
        description: "The policy in the query refuses this client. `Accept-Signature` is sent with `ask=signature`.",
        headers: { ...describedHeaders, "Accept-Signature": { schema: { type: "string" } } },
      },
      ...problems,
      429: {
        ...problems[429],
        description: `The crawler exceeds its \`limit\`; there is no body. ${problems[429]?.description}`,
        headers: { ...describedHeaders, "Retry-After": { schema: { type: "integer" } } },
      },
    },
  };
}
