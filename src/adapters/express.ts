/** The package's entry `whocrawls/express`: middleware for Express, Connect, node:http, and servers with the same kind of middleware. */
import type { Request, Response } from "express";
import { createGuard, type GuardOptions, refusal, refusalType, type Verdict } from "./guard.ts";

export type { CrawlerName, Detector, GuardOptions, PolicyWord, Verdict } from "./guard.ts";

interface Incoming {
  readonly headers: { readonly "user-agent"?: string | undefined };
  readonly url?: string | undefined;
  /** The whole path in middleware below one, such as `app.use("/shop", …)`, where `url` begins after that path. */
  readonly originalUrl?: string | undefined;
}

interface Outgoing {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

type Middleware = (request: Incoming, response: Outgoing, next: (error?: unknown) => void) => void;

declare global {
  namespace Express {
    interface Request {
      /** The verdict on the request's user agent, made when it is first read. */
      readonly crawler: Verdict;
    }
  }
}

/** Options of the middleware. */
export interface ExpressOptions extends GuardOptions {
  /** Answers a refused request. The status is 403 unless it sets another. Default: a line of text. */
  readonly onBlock?: ((request: Request, response: Response) => unknown) | undefined;
}

/**
 * Middleware that gives requests their `crawler`, and answers 403 to those that the policy refuses. Throws TypeError for a
 * wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers(options: ExpressOptions = {}): Middleware {
  const { refuses, lazyVerdict } = createGuard(options);
  const onBlock = (options.onBlock ?? sendRefusal) as typeof sendRefusal;
  return (request, response, next) => {
    const verdict = lazyVerdict(request.headers["user-agent"]);
    Object.defineProperty(request, "crawler", { get: verdict, configurable: true });
    if (refuses(request.originalUrl ?? request.url, verdict)) {
      response.statusCode = 403;
      // Express 4 and others do not see a promise that rejects.
      Promise.resolve(onBlock(request, response)).catch(next);
    } else next();
  };
}

function sendRefusal(_: Incoming, response: Outgoing): void {
  response.setHeader("content-type", refusalType);
  response.end(refusal);
}
