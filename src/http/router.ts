/**
 * Finds the route of a path, and answers methods that a route does not take.
 */
import { type Answer, answerEmpty, type Handler, type RequestContext, type Route } from "./context.ts";
import { Problem } from "./problems.ts";

/** Finds the route of a path as it was sent, and the part that matched its `*`. */
export type FindRoute<Outcome = unknown> = (path: string) => { readonly route: Route<Outcome>; readonly rest: string };

/**
 * Makes the function that finds routes: literal paths before those that end in `*`, the first of a path before others. Other
 * spellings of a path are redirected.
 */
export function createRouter<Outcome>(
  routes: readonly Route<Outcome>[],
  spellingOf: (path: string) => string | undefined = () => undefined,
): FindRoute<Outcome> {
  const found = new Map<string, ReturnType<FindRoute<Outcome>>>();
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
    handler: (context) => {
      throw notFound(context);
    },
  },
  rest: "",
};

/** What a path without a resource is answered with. */
export function notFound({ basePath }: RequestContext): Problem {
  return new Problem("not-found", `See ${basePath}/docs for the available paths.`);
}

const redirection: Route = {
  path: "*",
  method: "GET",
  isPublic: true,
  handler: (context) => redirect(context, context.rest),
};

/** Redirects GET to another path of the service, with the same query. `path` is never text of the client. */
export function redirect(context: RequestContext, path: string): Answer {
  const { method, query } = context.request;
  if (method !== "GET" && method !== "HEAD") throw notFound(context);
  return answerEmpty(308, { location: `${context.basePath}${path}${query === "" ? "" : `?${query}`}` });
}

/** Answers by a route: its handler for its method, the other methods as RFC 9110 §9 has them. */
export function answerRoute<Outcome>(
  { method: takes, path, handler }: Route<Outcome>,
  context: RequestContext<Outcome>,
): ReturnType<Handler> {
  const { method } = context.request;
  if (takes === "any" || method === takes || (method === "HEAD" && takes === "GET") || path === "*")
    return handler(context);
  const allow = takes === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
  if (method === "OPTIONS") return answerEmpty(204, { allow });
  throw new Problem("method-not-allowed", `Allowed methods: ${allow}.`, { allow });
}
