/**
 * The table of routes: which path takes which method and which handler answers; and finding a path's route.
 */

import { authRobotsTxt } from "./check/auth.ts";
import { type Format, formatNames } from "./describe/answer-formats.ts";
import { problemXsd, whocrawlsXsd } from "./describe/schema-xsd.ts";
import { type Answer, answerEmpty } from "./http/answer.ts";
import type { Handler, RequestContext, Route } from "./http/context.ts";
import { Problem } from "./http/problems.ts";
import { answer } from "./http/representation.ts";
import type { MetricsPage, Readiness } from "./options.ts";

export interface RouteHandlers {
  readonly check: Handler;
  readonly checkMany: Handler;
  readonly list: Handler;
  readonly regexp: Handler;
  readonly auth: Handler;
  readonly readiness: () => Readiness;
  readonly metrics: (() => Promise<MetricsPage>) | undefined;
  /** The OpenAPI document as JSON, for a service at this address. */
  readonly openapi: (context: RequestContext) => string;
}

/** Lays out the service's own routes. */
export function createRoutes({
  check,
  checkMany,
  list,
  regexp,
  auth,
  readiness,
  metrics,
  openapi,
}: RouteHandlers): Route[] {
  const schema = (path: string, xsd: string): Route =>
    openGet(path, (context) => answer(context, { contentType: "application/xml; charset=utf-8" }, () => xsd));
  return [
    ...inEveryFormat("/RestService/Check", (path, format) => ({ path, method: "POST", format, handler: check })),
    { path: "/RestService/CheckMany", method: "POST", handler: checkMany },
    ...inEveryFormat("/RestService/List", (path, format) => ({ path, method: "GET", format, handler: list })),
    { path: "/RestService/RegExp", method: "GET", handler: regexp },
    ...["/auth", authRobotsTxt, "/auth/*"].map((path): Route => ({ path, method: "any", handler: auth })),
    { ...openGet("/healthz", (context) => answer(context, json, () => '{"status":"ok"}')), isUncounted: true },
    { ...openGet("/readyz", (context) => answerReadiness(context, readiness())), isUncounted: true },
    ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
    openGet("/openapi.json", (context) => answer(context, json, () => openapi(context))),
    schema("/whocrawls.xsd", whocrawlsXsd),
    schema("/problem.xsd", problemXsd),
  ];
}

const json = { contentType: "application/json" };

/** A route without token: it returns only documented, public data. */
function openGet(path: string, handler: Handler): Route {
  return { path, method: "GET", isOpen: true, handler };
}

/** A path with negotiated format, and one path per format below it. */
function inEveryFormat(path: string, toRoute: (path: string, format: Format | undefined) => Route): Route[] {
  return [toRoute(path, undefined), ...formatNames.map((format) => toRoute(`${path}/${format}`, format))];
}

function metricsRoute(metrics: () => Promise<MetricsPage>): Route {
  const handler: Handler = async (context) => {
    const { contentType, text } = await metrics();
    return answer(context, { contentType, isPrivate: true }, () => text);
  };
  return { path: "/metrics", method: "GET", handler };
}

/** Finds the route of a path as it was sent, and the part that matched its `*`. */
export type FindRoute = (path: string) => { readonly route: Route; readonly rest: string };

/**
 * Makes the function that finds routes: literal paths before those that end in `*`, the first of a path before others. Other
 * spellings of a path are redirected.
 */
export function createRouter(
  routes: readonly Route[],
  spellingOf: (path: string) => string | undefined = () => undefined,
): FindRoute {
  const found = new Map<string, ReturnType<FindRoute>>();
  for (const route of routes) if (!found.has(route.path)) found.set(route.path, { route, rest: "" });
  const prefixes = routes.filter(({ path }) => path.endsWith("/*"));
  return (path) => {
    const literal = found.get(path);
    if (literal !== undefined) return literal;
    const route = prefixes.find((route) => path.startsWith(route.path.slice(0, -1)));
    if (route !== undefined) return { route, rest: path.slice(route.path.length - 1) };
    const spelling = spellingOf(path);
    return spelling === undefined ? nowhere : { route: redirection, rest: spelling };
  };
}

const nowhere: ReturnType<FindRoute> = {
  route: {
    path: "*",
    method: "GET",
    handler: () => {
      throw new Problem("not-found", elsewhere);
    },
  },
  rest: "",
};

const elsewhere = "See /docs for what there is.";

const redirection: Route = {
  path: "*",
  method: "GET",
  isOpen: true,
  handler: (context) => redirect(context, context.rest),
};

/** Redirects GET to another path of the service, with the same query. `path` is never text of the client. */
export function redirect({ basePath, request: { method, query } }: RequestContext, path: string): Answer {
  if (method !== "GET" && method !== "HEAD") throw new Problem("not-found", elsewhere);
  return answerEmpty(308, { location: `${basePath}${path}${query === "" ? "" : `?${query}`}` });
}

/** Answers by a route: its handler for its method, the other methods as RFC 9110 §9 has them. */
export function answerRoute({ method: takes, path, handler }: Route, context: RequestContext): ReturnType<Handler> {
  const { method } = context.request;
  if (takes === "any" || method === takes || (method === "HEAD" && takes === "GET") || path === "*")
    return handler(context);
  const allow = takes === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
  if (method === "OPTIONS") return answerEmpty(204, { allow });
  throw new Problem("method-not-allowed", `It takes ${allow}.`, { allow });
}

/** 503 stops load balancers from sending requests; warnings come with 200. */
async function answerReadiness(context: RequestContext, readiness: Readiness): Promise<Answer> {
  const facts = { contentType: "application/json", isPrivate: true };
  return { ...(await answer(context, facts, () => JSON.stringify(readiness))), status: readiness.ready ? 200 : 503 };
}
