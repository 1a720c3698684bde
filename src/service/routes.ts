/**
 * The table of routes: which path takes which methods and which handler answers.
 */
import { answer, answerEmpty } from "./answer.ts";
import type { Format } from "./negotiate.ts";
import type { Exchange, Handler, MetricsPage, Readiness } from "./options.ts";
import { problem } from "./problems.ts";
import { problemXsd, whocrawlsXsd } from "./schema-xsd.ts";
import { pagePolicy } from "./secure-headers.ts";

export interface Route {
  readonly method: "GET" | "POST";
  /** The format that the path fixes, for answers and problems alike. */
  readonly format: Format | undefined;
  readonly handler: Handler;
}

export interface RouteHandlers {
  readonly check: Handler;
  readonly list: Handler;
  readonly regexp: Handler;
  readonly readiness: () => Readiness;
  readonly metrics: (() => Promise<MetricsPage>) | undefined;
  /** The OpenAPI document as JSON. */
  readonly openapi: () => string;
  /** The reference page as HTML. */
  readonly docs: () => string;
}

/** Lays out the routes by their paths. */
export function createRoutes({
  check,
  list,
  regexp,
  readiness,
  metrics,
  openapi,
  docs,
}: RouteHandlers): ReadonlyMap<string, Route> {
  const get = (handler: Handler, format?: Format): Route => ({ method: "GET", format, handler });
  const post = (handler: Handler, format?: Format): Route => ({ method: "POST", format, handler });
  const text = (contentType: string, body: () => string): Route =>
    get((exchange) => answer(exchange, { contentType }, body));
  return new Map([
    ["/RestService/Check", post(check)],
    ["/RestService/Check/json", post(check, "json")],
    ["/RestService/Check/xml", post(check, "xml")],
    ["/RestService/List", get(list)],
    ["/RestService/List/json", get(list, "json")],
    ["/RestService/List/xml", get(list, "xml")],
    ["/RestService/RegExp", get(regexp)],
    ["/healthz", text("application/json", () => '{"status":"ok"}')],
    ["/readyz", get((exchange) => answerReadiness(exchange, readiness()))],
    ...(metrics === undefined ? [] : [["/metrics", get((exchange) => answerMetrics(exchange, metrics))] as const]),
    ["/openapi.json", text("application/json", openapi)],
    ["/docs", get((exchange) => answerPage(exchange, docs))],
    ["/whocrawls.xsd", text("application/xml; charset=utf-8", () => whocrawlsXsd)],
    ["/problem.xsd", text("application/xml; charset=utf-8", () => problemXsd)],
    ["/", get((exchange) => answerEmpty(exchange, 302, { location: "/docs" }))],
  ]);
}

/** Answers by a route: its handler for its method, the other methods as RFC 9110 §9 has them. */
export function answerRoute(route: Route, exchange: Exchange): Response | Promise<Response> {
  const { method } = exchange.request;
  if (method === route.method || (method === "HEAD" && route.method === "GET")) return route.handler(exchange);
  const allow = route.method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
  if (method === "OPTIONS") return answerEmpty(exchange, 204, { allow });
  return problem(exchange, "method-not-allowed", { detail: `It takes ${allow}.` }, { allow });
}

async function answerPage(exchange: Exchange, docs: () => string): Promise<Response> {
  const page = await answer(exchange, { contentType: "text/html; charset=utf-8" }, docs);
  page.headers.set("content-security-policy", pagePolicy);
  return page;
}

/** 503 keeps load balancers away; what only ought to be known stands in a body of 200. */
async function answerReadiness(exchange: Exchange, readiness: Readiness): Promise<Response> {
  const facts = { contentType: "application/json", isPrivate: true };
  const { headers, body } = await answer(exchange, facts, () => JSON.stringify(readiness));
  return new Response(body, { status: readiness.ready ? 200 : 503, headers });
}

async function answerMetrics(exchange: Exchange, metrics: () => Promise<MetricsPage>): Promise<Response> {
  const { contentType, text } = await metrics();
  return answer(exchange, { contentType, isPrivate: true }, () => text);
}
