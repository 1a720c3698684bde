/**
 * The HTTP application: one pipeline for every request (context, guards, route, handler, answer), for any runtime. It
 * does not use sockets or processes; each route is defined in the file of its handler.
 */

import { createSignals } from "../verify/signals/signals.ts";
import { createHeldBodies, type HoldBody } from "./body/held-bodies.ts";
import { type AskerOf, createAskerOf } from "./check/asker.ts";
import { createAuthRoutes } from "./check/auth.ts";
import { createCheckRoutes } from "./check/check-route.ts";
import { createOpenapi, type OpenapiDocument } from "./describe/openapi.ts";
import type { Answer } from "./http/answer.ts";
import type { Handler, IncomingRequest, RequestContext, Route } from "./http/context.ts";
import { type FinishedAnswer, finish, refuseHead } from "./http/every-answer.ts";
import { createFetch } from "./http/fetch.ts";
import { createGuards } from "./http/guards.ts";
import { answerProblem, type ErrorPage } from "./http/problems.ts";
import { createRequestIds } from "./http/request-id.ts";
import { createListRoutes } from "./list/list-route.ts";
import { createListSlots, type ListSlot } from "./list/list-slots.ts";
import { createCheckManyRoute } from "./many/check-many.ts";
import type { Client, ServiceOptions } from "./options.ts";
import { createRangesRoute } from "./ranges/ranges-route.ts";
import { createRegexpRoute, defaultFlavor } from "./regexp.ts";
import { answerRoute, createRouter, type FindRoute } from "./router.ts";
import { createRoutes } from "./routes.ts";

/** The application, ready to be listened with or mounted by another. */
export interface Service {
  /** Answers any request; never throws and never rejects. */
  fetch(request: Request, client?: Client): Promise<Response>;
  /** The same for a runtime's own file: `send` converts the answer for the runtime. */
  handle<Sent>(request: IncomingRequest, send: (answer: FinishedAnswer) => Sent): Sent | Promise<Sent>;
  /** The paths of all routes, as they are and below the base path. */
  readonly paths: readonly string[];
  /**
   * Answers with another detector from now on, and with another verifier if it is given. An answer that has begun ends with the
   * detector that it began with.
   */
  use(next: Pick<ServiceOptions, "detector" | "verifier">): void;
}

/** The same with its description, which a page shows. */
export interface DescribedService extends Omit<Service, "use"> {
  /** The OpenAPI description of the service at this address. */
  openapi(server: string): OpenapiDocument;
  /** Answers with other options from now on; guards, limits and hooks stay those that it was made with. */
  use(next: ServiceOptions): void;
}

/** What depends on a detector: all that a request is answered with. */
interface Generation {
  readonly routes: readonly Route[];
  readonly find: FindRoute;
  readonly openapi: DescribedService["openapi"];
  readonly errorPage: ErrorPage | undefined;
}

/** What bounds the memory of a process: one for all generations. */
interface Bounds {
  readonly askerOf: AskerOf;
  readonly holdBody: HoldBody;
  readonly takeSlot: () => ListSlot | undefined;
}

const alwaysReady = { ready: true, reasons: [], warnings: [] };

/** Makes the HTTP application around a detector. */
export function createService(options: ServiceOptions): DescribedService {
  const { onRequest, basePath = "", maxLists = 8, stallMs = 30_000 } = options;
  const requestIdFor = createRequestIds(options.requestId);
  const guards = createGuards(options.guards ?? {});
  const askerOf = createAskerOf(options.guards?.addressOf);
  const bounds: Bounds = {
    askerOf,
    holdBody: createHeldBodies({ askerOf, stallMs }),
    takeSlot: createListSlots(maxLists, stallMs),
  };
  let current = createGeneration(options, bounds);

  /** Asks the guards from `next` on, then the route's handler. */
  function pass(context: RequestContext, route: Route, added: Record<string, string>, next = 0): ReturnType<Handler> {
    for (let at = next; at < guards.length; at++) {
      const held = guards[at]?.(context, route, added);
      if (held instanceof Promise) return held.then(() => pass(context, route, added, at + 1));
      if (held !== undefined) return held;
    }
    return answerRoute(route, context);
  }

  function answerInOrder(
    context: RequestContext,
    route: Route,
    added: Record<string, string>,
    errorPage: ErrorPage | undefined,
  ): ReturnType<Handler> {
    try {
      refuseHead(context.request);
      return pass(context, route, added);
    } catch (error) {
      return answerProblem(context, error, errorPage);
    }
  }

  function handle<Sent>(request: IncomingRequest, send: (answer: FinishedAnswer) => Sent): Sent | Promise<Sent> {
    const startMs = onRequest === undefined ? 0 : performance.now();
    const { path } = request;
    const { find, errorPage } = current;
    const isMounted = basePath !== "" && path.startsWith(`${basePath}/`);
    const found = find(isMounted ? path.slice(basePath.length) : path);
    const requestId = requestIdFor(request.headers.get("x-request-id"));
    const added: Record<string, string> = { "x-request-id": requestId };
    const context = toContext(request, requestId, found, basePath);
    const conclude = (answer: Answer): Sent => {
      onRequest?.({
        requestId,
        method: request.method,
        route: context.route,
        status: answer.status,
        durationMs: performance.now() - startMs,
        verdict: context.verdict,
        error: context.error,
      });
      return send(finish(request, answer, added));
    };
    const answered = answerInOrder(context, found.route, added, errorPage);
    if (!(answered instanceof Promise)) return conclude(answered);
    return answered.then(conclude, (error) => conclude(answerProblem(context, error, errorPage)));
  }

  return {
    handle,
    fetch: createFetch(handle),
    openapi: (server) => current.openapi(server),
    paths: [...new Set(current.routes.flatMap(({ path }) => [path, basePath + path]))],
    use(next) {
      current = createGeneration(next, bounds);
    },
  };
}

function createGeneration(options: ServiceOptions, bounds: Bounds): Generation {
  const more = (options.routes ?? []).map((route): Route => ({ operation: "none", ...route }));
  const openapi = createOpenapi({
    version: options.detector.version,
    needsToken: options.guards?.authorize !== undefined,
    own: () => own,
    more,
  });
  const own = layOut(options, openapi, bounds);
  const routes = [...more, ...own];
  return { routes, find: createRouter(routes, options.spellingOf), openapi, errorPage: options.errorPage };
}

function toContext(
  request: IncomingRequest,
  requestId: string,
  { route, rest }: ReturnType<FindRoute>,
  basePath: string,
): RequestContext {
  const { path, format } = route;
  return { request, requestId, basePath, route: path, rest, format, verdict: undefined, error: undefined };
}

function layOut(
  options: ServiceOptions,
  openapi: DescribedService["openapi"],
  { askerOf, holdBody, takeSlot }: Bounds,
): Route[] {
  const {
    detector,
    record,
    onVerdict,
    verifier,
    networks,
    seesEvaluated,
    metrics,
    forwardedAddressOf,
    forwardedHostOf,
    readiness = () => alwaysReady,
  } = options;
  const { maxBodyBytes = 65_536, listTimeoutMs = 10_000, basePath = "" } = options;
  const flavors = { [defaultFlavor]: detector.expression, ...options.flavors };
  const readers = { verifier, networks, signals: createSignals(detector.catalogue) };
  return [
    ...createCheckRoutes({ detector, record, readers, askerOf, maxBodyBytes, holdBody }),
    createCheckManyRoute({
      detector,
      readers,
      askerOf,
      onVerdict(verdict, times) {
        record?.note(verdict, times);
        onVerdict?.(verdict, times);
      },
      maxLineBytes: maxBodyBytes,
      basePath,
      holdBody,
    }),
    ...createListRoutes({ detector, record, seesEvaluated, listTimeoutMs, takeSlot }),
    createRegexpRoute(detector, flavors),
    createRangesRoute({ detector, verifier, networks, takeSlot }),
    ...createAuthRoutes({ detector, record, readers, forwardedAddressOf, forwardedHostOf }),
    ...createRoutes({
      readiness,
      metrics,
      openapi: ({ request }) => JSON.stringify(openapi(request.origin + basePath)),
    }),
  ];
}
