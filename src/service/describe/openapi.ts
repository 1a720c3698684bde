/**
 * The OpenAPI description of the service: the operations, its own routes, and who may ask.
 */
import type { Detector } from "../../detect/verdict.ts";
import { refer, schemas } from "./json-schemas.ts";
import { authPath, checkManyPath, checkPaths, listPaths, regexpPath } from "./openapi-operations.ts";
import { type Content, type Operation, type Paths, text } from "./openapi-parts.ts";

export interface OpenapiParts {
  readonly detector: Detector;
  readonly flavors: readonly string[];
  readonly hasMetrics: boolean;
  /** Whether tokens are asked for. */
  readonly needsToken: boolean;
}

/** The description of a service. */
export type OpenapiDocument = ReturnType<ReturnType<typeof createOpenapi>>;

/** Makes the function that describes a service at an address. */
export function createOpenapi(parts: OpenapiParts) {
  let paths: Paths | undefined;
  return (server: string) => {
    paths ??= {
      ...checkPaths(parts.detector),
      ...checkManyPath(),
      ...listPaths(),
      ...regexpPath(parts.flavors),
      ...authPath(),
      ...servicePaths(parts.hasMetrics),
    };
    return {
      openapi: "3.1.0",
      info: {
        title: "whocrawls",
        version: parts.detector.version,
        description:
          "Detects web crawlers by their user agent strings and names their operators. " +
          "The XML answers are described by /whocrawls.xsd, problems in XML by /problem.xsd.",
        license: { name: "MIT" },
      },
      servers: [{ url: server }],
      externalDocs: { url: `${server}/whocrawls.xsd`, description: "XML Schema of the XML answers" },
      ...(parts.needsToken && { security: [{ bearer: [] }] }),
      paths,
      components: { schemas, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    };
  };
}
function servicePaths(hasMetrics: boolean): Paths {
  const get = (
    path: string,
    operation: Omit<Operation, "tags" | "operationId">,
    operationId = path.slice(1) || "page",
  ) => ({
    [path]: { get: { operationId: operationId.replace(".", "-"), tags: ["Service"] as const, ...operation } },
  });
  const plain = (path: string, summary: string, contentType: string, security: object = { security: [] }) =>
    get(path, { summary, ...security, responses: { 200: { description: summary, content: text(contentType) } } });
  const json = (name: keyof typeof schemas, example: unknown): Content => ({
    "application/json": { schema: refer(name), example },
  });
  return {
    ...get(
      "/healthz",
      {
        summary: "Liveness",
        security: [],
        responses: { 200: { description: "The service answers.", content: json("Health", { status: "ok" }) } },
      },
      "health",
    ),
    ...get(
      "/readyz",
      {
        summary: "Readiness",
        security: [],
        responses: {
          200: {
            description: "The service is ready.",
            content: json("Readiness", { ready: true, reasons: [], warnings: [] }),
          },
          503: {
            description: "The service is not ready.",
            content: json("Readiness", { ready: false, reasons: ["stopping"], warnings: [] }),
          },
        },
      },
      "readiness",
    ),
    ...(hasMetrics && plain("/metrics", "Figures for Prometheus", "text/plain; version=0.0.4; charset=utf-8", {})),
    ...plain("/openapi.json", "This description", "application/json"),
    ...plain("/", "A page that checks user agents while one types", "text/html; charset=utf-8"),
    ...plain("/docs", "This description as a page", "text/html; charset=utf-8"),
    ...plain("/whocrawls.xsd", "The XML Schema of Check and List", "application/xml; charset=utf-8"),
    ...plain("/problem.xsd", "The XML Schema of problems", "application/xml; charset=utf-8"),
  };
}
