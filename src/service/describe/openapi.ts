/**
 * The OpenAPI description of the service: one document of the descriptions that stand with the routes.
 */
import { once } from "../../cache/once.ts";
import { schemas } from "../../generated/json-schemas.ts";
import type { Route } from "../../http/context.ts";
import type { Operation } from "../../http/operation.ts";

type DescribedRoute = Pick<Route, "path" | "method" | "isPublic" | "operation">;

interface DescribedService {
  /** The catalogue's version. */
  readonly version: string;
  /** Whether tokens are required. */
  readonly needsToken: boolean;
  /** The service's own routes. */
  readonly own: readonly DescribedRoute[];
  /** Additional routes, such as pages. They take precedence over own routes with the same path. */
  readonly more: readonly DescribedRoute[];
}

export type Method = "get" | "post";
type Paths = Readonly<Record<string, Partial<Record<Method, Operation>>>>;

/** The description of a service. */
export type OpenapiDocument = ReturnType<ReturnType<typeof createOpenapi>>;

/** Makes the function that describes a service at an address, such as `https://example.com`. */
export function createOpenapi({ version, needsToken, own, more }: DescribedService) {
  const paths = once(() => toPaths(own, more));
  return (server: string) => ({
    openapi: "3.1.0",
    info: {
      title: "whocrawls",
      version,
      description:
        "Detects web crawlers by their user agent strings and names their operators. " +
        "XML uses the same names as JSON; `xml` in the schemas names root elements, list items and attributes.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: server }],
    security: needsToken ? [{ bearer: [] }] : [],
    paths: paths(),
    components: { schemas, ...(needsToken && { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } }) },
  });
}

/** Own routes come first in the document, although `more` takes precedence. */
function toPaths(own: readonly DescribedRoute[], more: readonly DescribedRoute[]): Paths {
  const items = new Map<string, Paths[string] | undefined>(own.map(({ path }) => [path, undefined]));
  for (const route of [...more, ...own]) if (items.get(route.path) === undefined) items.set(route.path, toItem(route));
  return Object.fromEntries(
    [...items].flatMap(([path, item = {}]) => (Object.keys(item).length > 0 ? [[path, item]] : [])),
  );
}

function toItem({ method, isPublic, operation }: DescribedRoute): Paths[string] {
  if (operation === undefined) return {};
  const { operationId, tags, summary, description, ...rest } = operation();
  const described: Operation = {
    operationId,
    tags,
    summary,
    ...(description !== undefined && { description }),
    ...(isPublic && { security: [] }),
    ...rest,
  };
  return { [method === "POST" ? "post" : "get"]: described };
}
