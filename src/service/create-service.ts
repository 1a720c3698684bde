/**
 * The HTTP application: a fetch handler for Bun, Node, Deno and the edge. It knows neither sockets nor processes;
 * routes.ts says what is where, and the handlers named there do the work.
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import { createCheck } from "./check.ts";
import { checkPaths, createDirectCheck, type DirectCheck } from "./direct-check.ts";
import { toDocsPage } from "./docs-page.ts";
import { createGate } from "./gate.ts";
import { createList } from "./list.ts";
import { describeRoutes, toOpenapi } from "./openapi.ts";
import type { Client, Exchange, ServiceEnv, ServiceOptions } from "./options.ts";
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
  /** A quicker way to Check for hosts that read requests themselves; not there where something stands around routes. */
  readonly direct?: DirectCheck;
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
    check: check.handler(),
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

  const onAnswer =
    onRequest &&
    (({ request: { method }, requestId, route, verdict, error }: Exchange, status: number, startMs: number): void => {
      onRequest({ requestId, method, route, status, durationMs: performance.now() - startMs, verdict, error });
    });
  const quickCheck = check.handler(onAnswer);
  const gate = createGate(options.gate ?? {}, pathOf);
  /** Check needs nothing of what the router does, which would cost a tenth of the whole request. */
  const isQuick = middleware.length === 0 && gate === undefined;

  function respond(exchange: Exchange, client: Client | undefined): Response | Promise<Response> {
    return gate === undefined ? respondByRouter(exchange, client) : gate(exchange, client, respondByRouter);
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
    tell: NonNullable<typeof onAnswer>,
  ): Promise<Response> {
    const start = performance.now();
    const response = await respond(exchange, client);
    tell(exchange, response.status, start);
    return response;
  }

  return {
    fetch(request, client) {
      const exchange: Exchange = {
        request,
        requestId: requestIdFor(request.headers.get("x-request-id")),
        format: undefined,
        answerFormat: undefined,
        route: "*",
        verdict: undefined,
        error: undefined,
      };
      if (isQuick && request.method === "POST") {
        const path = pathOf(request.url);
        if (checkPaths.has(path)) {
          exchange.route = path;
          exchange.format = checkPaths.get(path);
          return quickCheck(exchange);
        }
      }
      return onAnswer === undefined ? respond(exchange, client) : observe(exchange, client, onAnswer);
    },
    ...(isQuick && { direct: createDirectCheck({ check, maxBodyBytes, requestIdFor, onAnswer }) }),
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
