/**
 * The HTTP application: a fetch handler for Bun, Node, Deno and the edge. It knows neither sockets nor processes;
 * routes.ts says what is where, and the handlers named there do the work.
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import { createCheck } from "./check.ts";
import { toDocsPage } from "./docs-page.ts";
import { createGate } from "./gate.ts";
import { createList } from "./list.ts";
import { describeRoutes, toOpenapi } from "./openapi.ts";
import type { Client, Exchange, RequestEvent, ServiceEnv, ServiceOptions } from "./options.ts";
import { failure, problem } from "./problems.ts";
import { createRegexp, defaultFlavor } from "./regexp.ts";
import { createRequestIds } from "./request-id.ts";
import { answerRoute, createRoutes } from "./routes.ts";

export const defaultMaxBodyBytes = 65_536;

const alwaysReady = { ready: true, reasons: [], warnings: [] };

/** The application, ready to be listened with or mounted by another. */
export interface Service {
  /** Answers any request; never throws and never rejects. */
  fetch(request: Request, client?: Client): Response | Promise<Response>;
}

/** Makes the HTTP application around a detector. */
export function createService(options: ServiceOptions): Service {
  const { detector, record, onRequest, platform, middleware = [], maxBodyBytes = defaultMaxBodyBytes } = options;
  const { seesEvaluated, readiness = () => alwaysReady, metrics } = options;
  const flavors = { [defaultFlavor]: detector.expression, ...options.flavors };
  const requestIdFor = createRequestIds(options.requestId);

  const app = new OpenAPIHono<ServiceEnv>({ getPath: (request) => pathOf(request.url) });
  const openapi = once(() => {
    describeRoutes(app, detector, Object.keys(flavors));
    return toOpenapi(app, detector.version);
  });
  const check = createCheck({ detector, record, maxBodyBytes, platform });
  const routes = createRoutes({
    check,
    list: createList({ detector, record, seesEvaluated }),
    regexp: createRegexp(detector, flavors),
    readiness,
    metrics,
    openapi: once(() => JSON.stringify(openapi())),
    docs: once(() => toDocsPage(openapi())),
  });

  if (middleware.length > 0) app.use(...middleware);
  options.routes?.(app);
  for (const [path, route] of routes) {
    app.all(path, ({ env: { exchange } }) => {
      exchange.route = path;
      exchange.format = route.format;
      return answerRoute(route, exchange);
    });
  }
  app.notFound(({ env: { exchange } }) => problem(exchange, "not-found", { detail: "See /docs for what there is." }));
  app.onError((error, { env: { exchange } }) => failure(exchange, error));

  /** Check needs nothing of what the router does, which would cost a tenth of the whole request. */
  const isQuick = middleware.length === 0;

  const gate = createGate(options.gate ?? {}, pathOf);

  function respond(exchange: Exchange, client: Client | undefined): Response | Promise<Response> {
    return gate === undefined ? respondInside(exchange, client) : gate(exchange, client, respondInside);
  }

  function respondInside(exchange: Exchange, client: Client | undefined): Response | Promise<Response> {
    const path = pathOf(exchange.request.url);
    const route = routes.get(path);
    if (isQuick && route?.handler === check && exchange.request.method === "POST") {
      exchange.route = path;
      exchange.format = route.format;
      return check(exchange);
    }
    return respondByRouter(exchange, client);
  }

  async function respondByRouter(exchange: Exchange, client: Client | undefined): Promise<Response> {
    try {
      return withRequestId(await app.fetch(exchange.request, { exchange, client }), exchange.requestId);
    } catch (error) {
      return failure(exchange, error);
    }
  }

  async function observe(
    exchange: Exchange,
    client: Client | undefined,
    onRequest: (event: RequestEvent) => void,
  ): Promise<Response> {
    const start = performance.now();
    const response = await respond(exchange, client);
    const { requestId, route, verdict, error } = exchange;
    const { status } = response;
    const durationMs = performance.now() - start;
    onRequest({ requestId, method: exchange.request.method, route, status, durationMs, verdict, error });
    return response;
  }

  return {
    fetch(request, client) {
      const requestId = requestIdFor(request.headers.get("x-request-id"));
      const exchange = { request, requestId, format: undefined, route: "*", verdict: undefined, error: undefined };
      return onRequest === undefined ? respond(exchange, client) : observe(exchange, client, onRequest);
    },
  };
}

/** The path of a request's URL, as the client wrote it. Bun gives no more than the path where a request names no host. */
function pathOf(url: string): string {
  const start = url.charCodeAt(0) === 0x2f ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start).split("#", 1)[0]! : url.slice(start, end);
}

/** Answers of routes that were added from outside do not carry the id yet; some are immutable. */
function withRequestId(response: Response, requestId: string): Response {
  if (response.headers.has("x-request-id")) return response;
  const answer = new Response(response.body, response);
  answer.headers.set("x-request-id", requestId);
  return answer;
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
