/** The package's entry `whocrawls/hono`: middleware for Hono, on any of its runtimes. */
import type { Context, MiddlewareHandler } from "hono";
import { type AddressOf, createGuard, type GuardOptions, pathOf, refusal, type Verdict } from "./guard.ts";

export type { CrawlerName, Detector, GuardOptions, PolicyWord, RequestVerifier, Verdict } from "./guard.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** The verdict on the request's user agent; without a verifier, made when it is first called. */
    crawler: () => Verdict;
  }
}

/** Options of the middleware. */
export interface HonoOptions extends GuardOptions {
  /** Answers a refused request, as a handler does. The status is 403 unless it sets another. */
  readonly onBlock?: ((context: Context) => Response | Promise<Response>) | undefined;
  /** The client's address, which `verifier` needs, such as `(context) => getConnInfo(context).remote.address`. */
  readonly addressOf?: AddressOf<[context: Context]> | undefined;
}

/**
 * Middleware that gives contexts their `crawler`, and answers 403 to requests that the policy refuses. Throws TypeError for a
 * wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers(options: HonoOptions = {}): MiddlewareHandler {
  const { refuses, lazyVerdict, verify } = createGuard(options, false);
  const { onBlock = (context) => context.text(refusal), addressOf } = options;
  return async (context, next) => {
    let verdict = lazyVerdict(context.req.header("user-agent"));
    if (verify !== undefined) {
      const { method, raw } = context.req;
      const facts = { ip: addressOf?.(context), method, path: pathOf(raw.url), headers: raw.headers };
      const verified = await verify(verdict(), facts);
      verdict = () => verified;
    }
    context.set("crawler", verdict);
    if (!refuses(context.req.path, verdict)) return next();
    context.status(403);
    return onBlock(context);
  };
}
