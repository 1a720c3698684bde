/** The package's entry `whocrawls/hono`: middleware for Hono, on any of its runtimes. */
import type { Context, MiddlewareHandler } from "hono";
import { createGuard, type GuardOptions, refusal, type Verdict } from "./guard.ts";

export type { CrawlerName, Detector, GuardOptions, PolicyWord, Verdict } from "./guard.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** Makes the verdict on the request's user agent when it is first called. */
    crawler: () => Verdict;
  }
}

/** Options of the middleware. */
export interface HonoOptions extends GuardOptions {
  /** Answers a refused request, as a handler does. The status is 403 unless it sets another. */
  readonly onBlock?: ((context: Context) => Response | Promise<Response>) | undefined;
}

/**
 * Middleware that gives contexts their `crawler`, and answers 403 to requests that the policy refuses. Throws TypeError for a
 * wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers(options: HonoOptions = {}): MiddlewareHandler {
  const { refuses, lazyVerdict } = createGuard(options);
  const { onBlock = (context) => context.text(refusal) } = options;
  return async (context, next) => {
    const verdict = lazyVerdict(context.req.header("user-agent"));
    context.set("crawler", verdict);
    if (!refuses(context.req.path, verdict)) return next();
    context.status(403);
    return onBlock(context);
  };
}
