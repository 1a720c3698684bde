/**
 * The table of routes: which path takes which methods and which handler answers.
 */
import { answer, answerEmpty } from "./answer.ts";
import type { Format } from "./negotiate.ts";
import type { Exchange, Handler } from "./options.ts";
import { problem } from "./problems.ts";
import { problemXsd, whocrawlsXsd } from "./schema-xsd.ts";

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
  /** The OpenAPI document as JSON. */
  readonly openapi: () => string;
  /** The reference page as HTML. */
  readonly docs: () => string;
}

/** Lays out the routes by their paths. */
export function createRoutes({ check, list, regexp, openapi, docs }: RouteHandlers): ReadonlyMap<string, Route> {
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

/** The page needs its own style and nothing else; it loads nothing and runs nothing. */
async function answerPage(exchange: Exchange, docs: () => string): Promise<Response> {
  const page = await answer(exchange, { contentType: "text/html; charset=utf-8" }, docs);
  page.headers.set("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'");
  return page;
}
