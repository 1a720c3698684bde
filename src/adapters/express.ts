/** The package's entry `whocrawls/express`: middleware for Express, and for whatever else has its kind of middleware. */
import { createGuard, type GuardOptions, lazyVerdict, refusal, type Verdict } from "./guard.ts";

export type { GuardOptions, Verdict } from "./guard.ts";

interface Incoming {
  readonly headers: { readonly "user-agent"?: string | undefined };
  readonly url?: string | undefined;
  /** Where the middleware is mounted below a path, the whole address stands only here. */
  readonly originalUrl?: string | undefined;
}

interface Outgoing {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

declare global {
  namespace Express {
    interface Request {
      /** The verdict on the request's user agent, made when it is first read. */
      readonly crawler: Verdict;
    }
  }
}

/** Middleware that gives requests their `crawler`, and answers 403 to those that the policy refuses. Throws for wrong words. */
export function crawlers(options: GuardOptions = {}) {
  const refuses = createGuard(options);
  return (request: Incoming, response: Outgoing, next: () => void) => {
    const verdict = lazyVerdict(request.headers["user-agent"]);
    Object.defineProperty(request, "crawler", { get: verdict, configurable: true, enumerable: true });
    if (!refuses(request.originalUrl ?? request.url ?? "", verdict)) {
      next();
      return;
    }
    response.statusCode = 403;
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end(refusal);
  };
}
