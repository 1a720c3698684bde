/** The package's entry `whocrawls/express`: middleware for Express, Connect, node:http, and servers with the same kind of middleware. */
import {
  type AddressOf,
  createGuard,
  type GuardAnswer,
  type Guarded,
  type GuardOptions,
  userAgentOf,
  type Verdict,
} from "./guard.ts";

export type {
  CrawlerName,
  CrawlerRate,
  Detector,
  GuardOptions,
  PolicyWord,
  RequestVerifier,
  Verdict,
} from "./guard.ts";

interface Incoming {
  readonly headers: { readonly [Name in string]?: string | readonly string[] | undefined } & {
    readonly "user-agent"?: string | undefined;
  };
  readonly rawHeaders?: readonly string[] | undefined;
  readonly method?: string | undefined;
  /** The client's address that Express determines by its setting `trust proxy`. */
  readonly ip?: string | undefined;
  readonly app?: { get(setting: "trust proxy"): unknown } | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
  readonly url?: string | undefined;
  /** The whole path in middleware below one, such as `app.use("/shop", …)`, where `url` begins after that path. */
  readonly originalUrl?: string | undefined;
}

interface Outgoing {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/** The members of Express's `Request` that an answer usually reads. Functions of the whole `Request` fit, too. */
interface ExpressRequest extends Incoming {
  readonly crawler: Verdict;
  readonly method: string;
  readonly url: string;
  readonly originalUrl: string;
  readonly path: string;
  get(name: string): string | undefined;
}

/** The members of Express's `Response` that an answer usually calls. Functions of the whole `Response` fit, too. */
interface ExpressResponse extends Outgoing {
  status(code: number): this;
  set(name: string, value: string): this;
  type(type: string): this;
  json(body: unknown): this;
  send(body: unknown): this;
  redirect(url: string): void;
  redirect(status: number, url: string): void;
  render(view: string, locals?: object): void;
}

/** Declared as a method because TypeScript checks method parameters bivariantly, so that Express's own types fit. */
interface Answers {
  onBlock(request: ExpressRequest, response: ExpressResponse): unknown;
}

type Next = (error?: unknown) => void;
type Middleware = (request: Incoming, response: Outgoing, next: Next) => void;

declare global {
  namespace Express {
    interface Request {
      /** The verdict on the request's user agent; without a verifier, computed when it is first read. */
      readonly crawler: Verdict;
    }
  }
}

/** Options of the middleware. */
export interface ExpressOptions extends GuardOptions {
  /** Answers a refused request. The status is 403 unless it sets another. Default: a line of text. */
  readonly onBlock?: Answers["onBlock"] | undefined;
  /**
   * The client's address, for `verifier`. Default: `request.ip`, where `trust proxy` must not be true; without Express the connection's
   * address.
   */
  readonly addressOf?: AddressOf<[request: ExpressRequest]> | undefined;
}

/**
 * Middleware that gives requests their `crawler`, and answers 403 if the policy refuses them, and 429 if their crawler exceeds its limit.
 * Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers(options: ExpressOptions = {}): Middleware {
  const { decide } = createGuard(options, true);
  const onBlock = options.onBlock as ((request: Incoming, response: Outgoing) => unknown) | undefined;
  const addressOf = (options.addressOf ?? addressOfRequest) as typeof addressOfRequest;

  async function answer(request: Incoming, response: Outgoing, { status, headers, text }: GuardAnswer): Promise<void> {
    response.statusCode = status;
    if (status === 403 && onBlock !== undefined) return void (await onBlock(request, response));
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(text);
  }

  return (request, response, next) => {
    const { headers, method, originalUrl, url } = request;
    const act = ({ verdict, answer: made }: Guarded): void => {
      Object.defineProperty(request, "crawler", { get: verdict, configurable: true });
      // Express 4 and others do not handle a rejected promise.
      if (made === undefined) next();
      else answer(request, response, made).catch(next);
    };
    const userAgent = userAgentOf(headers, request.rawHeaders);
    const ip = (): string | undefined => addressOf(request);
    const guarded = decide({ userAgent, ip, method, path: originalUrl ?? url, headers });
    // No catch here: an error of a later handler must not be handled as ours.
    if (guarded instanceof Promise) guarded.then(act, next);
    else act(guarded);
  };
}

function addressOfRequest({ ip, socket, app }: Incoming): string | undefined {
  // With `true`, `ip` is the leftmost entry of X-Forwarded-For, which the client writes.
  if (app?.get("trust proxy") === true)
    throw new TypeError(
      'With a verifier, set "trust proxy" to the number of proxies: app.set("trust proxy", 1). With `true`, clients can choose the address that is verified.',
    );
  return ip ?? socket?.remoteAddress;
}
