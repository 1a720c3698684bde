/**
 * The routes about the service itself: health, metrics, and descriptions for tools.
 */

import type { Answer, RequestContext, Route } from "../http/context.ts";
import type { Content } from "../http/operation.ts";
import { answer } from "../http/representation.ts";
import type { Deps } from "./deps.ts";
import { refer, textOperation } from "./describe/openapi-parts.ts";
import type { MetricsPage } from "./options.ts";

const json = { contentType: "application/json" };

/** Makes the routes. Those without token return only documented, public data. */
export function createRoutes({ readiness, metrics }: Deps): Route[] {
  return [
    healthRoute,
    createReadinessRoute(readiness),
    ...(metrics === undefined ? [] : [createMetricsRoute(metrics)]),
  ];
}

/** The description's own part of itself. */
export const openapiDescription = {
  path: "/openapi.json",
  method: "GET",
  isPublic: true,
  operation: textOperation("openapi-json", "This description", json.contentType),
} as const;

/** Makes the route of the description; `toText` writes it as JSON, for the address that the client asked. */
export function createOpenapiRoute(toText: (context: RequestContext) => string): Route {
  return { ...openapiDescription, handler: (context) => answer(context, json, () => toText(context)) };
}

const probe = { method: "GET", isPublic: true, skipsRateLimit: true, takesAnyHost: true } as const;

const healthRoute: Route = {
  ...probe,
  path: "/healthz",
  handler: (context) => answer(context, json, () => '{"status":"ok"}'),
  operation: () => ({
    operationId: "health",
    tags: ["Service"],
    summary: "Liveness",
    responses: { 200: toResponse("The service answers.", "Health", { status: "ok" }) },
  }),
};

/** 503 makes load balancers stop sending requests; warnings are reported with 200. */
function createReadinessRoute(readiness: Deps["readiness"]): Route {
  return {
    ...probe,
    path: "/readyz",
    async handler(context): Promise<Answer> {
      const state = await readiness();
      const answered = await answer(context, { ...json, isPrivate: true }, () => JSON.stringify(state));
      return { ...answered, status: state.ready ? 200 : 503 };
    },
    operation: () => ({
      operationId: "readiness",
      tags: ["Service"],
      summary: "Readiness",
      responses: {
        200: toResponse("The service is ready.", "Readiness", { ready: true, reasons: [], warnings: [] }),
        503: toResponse("The service is not ready.", "Readiness", {
          ready: false,
          reasons: ["stopping"],
          warnings: [],
        }),
      },
    }),
  };
}

function toResponse(description: string, name: Parameters<typeof refer>[0], example: unknown) {
  const content: Content = { [json.contentType]: { schema: refer(name), example } };
  return { description, content };
}

function createMetricsRoute(metrics: () => Promise<MetricsPage>): Route {
  return {
    path: "/metrics",
    method: "GET",
    async handler(context) {
      const { contentType, text } = await metrics();
      return answer(context, { contentType, isPrivate: true }, () => text);
    },
    operation: textOperation("metrics", "Metrics for Prometheus", "text/plain; version=0.0.4; charset=utf-8"),
  };
}
