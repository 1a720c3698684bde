/** The package's entry `whocrawls/hono`: middleware for Hono, on any of its runtimes. */
import { pathOfUrl } from "../detect/policy/decide.ts";
import { type AddressOf, createGuard, type GuardOptions, type Verdict } from "./guard.ts";

export type {
  CrawlerName,
  CrawlerRate,
  Detector,
  GuardOptions,
  PolicyWord,
  RequestVerifier,
  Verdict,
} from "./guard.ts";

/** The members of Hono's `Context` that an answer usually uses. Functions of the whole `Context` fit, too. */
interface HonoContext {
  readonly req: {
    readonly raw: Request;
    readonly method: string;
    readonly path: string;
    readonly url: string;
    header(name: string): string | undefined;
  };
  readonly var: { readonly crawler: () => Verdict };
  set(name: "crawler", verdict: () => Verdict): void;
  status(code: number): void;
  header(name: string, value: string): void;
  body(body: string | null, status?: number): Response;
  text(text: string, status?: number): Response;
  html(html: string, status?: number): Response | Promise<Response>;
  json(body: unknown, status?: number): Response;
  redirect(url: string, status?: number): Response;
  notFound(): Response | Promise<Response>;
}

/** Declared as a method because TypeScript checks method parameters bivariantly, so that Hono's own type fits. */
interface Answers {
  onBlock(context: HonoContext): Response | Promise<Response>;
}

type Middleware = (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;

// @ts-expect-error: In an application, it is found: the application has Hono.
declare module "hono" {
  interface ContextVariableMap {
    /** The verdict on the request's user agent; without a verifier, made when it is first called. */
    crawler: () => Verdict;
  }
}

/** Options of the middleware. */
export interface HonoOptions extends GuardOptions {
  /** Answers a refused request, as a handler does. The status is 403 unless it sets another. */
  readonly onBlock?: Answers["onBlock"] | undefined;
  /** The client's address, which `verifier` needs, such as `(context: Context) => getConnInfo(context).remote.address`. */
  readonly addressOf?: AddressOf<[context: HonoContext]> | undefined;
}

/**
 * Middleware that gives contexts their `crawler`, and answers 403 to requests that the policy refuses, and 429 if their crawler exceeds its
 * limit. Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers(options: HonoOptions = {}): Middleware {
  const { decide } = createGuard(options, false);
  const { onBlock, addressOf } = options;
  return async (context, next) => {
    const { method, raw } = context.req;
    const userAgent = context.req.header("user-agent");
    const ip = (): string | undefined => addressOf?.(context);
    const request = { userAgent, ip, method, path: pathOfUrl(raw.url), headers: raw.headers };
    const { verdict, answer } = await decide(request);
    context.set("crawler", verdict);
    if (answer === undefined) {
      await next();
      return undefined;
    }
    context.status(answer.status);
    if (answer.status === 403 && onBlock !== undefined) return onBlock(context);
    for (const [name, value] of Object.entries(answer.headers)) context.header(name, value);
    return context.body(answer.text);
  };
}
