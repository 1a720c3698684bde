/** The package's entry `whocrawls/hono`: middleware for Hono, on any of its runtimes. */
import type { MiddlewareHandler } from "hono";
import { createGuard, type GuardOptions, lazyVerdict, refusal, type Verdict } from "./guard.ts";

export type { GuardOptions, Verdict } from "./guard.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** Makes the verdict on the request's user agent when it is first called. */
    crawler: () => Verdict;
  }
}

/** Middleware that gives contexts their `crawler`, and answers 403 to requests that the policy refuses. Throws for wrong words. */
export function crawlers(options: GuardOptions = {}): MiddlewareHandler {
  const refuses = createGuard(options);
  return async (context, next) => {
    const verdict = lazyVerdict(context.req.header("user-agent"));
    context.set("crawler", verdict);
    return refuses(context.req.path, verdict) ? context.text(refusal, 403) : next();
  };
}
