/** The package's entry `whocrawls/express`: middleware for Express, Connect, node:http, and servers with the same kind of middleware. */
import { tooMany } from "./crawler-limit.ts";
import { type AddressOf, createGuard, type GuardOptions, refusal, refusalType, type Verdict } from "./guard.ts";

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
  readonly method?: string | undefined;
  /** Express's, by its setting `trust proxy`. */
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

/** As a method: TypeScript lets methods have parameters with more members, such as Express's own types. */
interface Answers {
  onBlock(request: ExpressRequest, response: ExpressResponse): unknown;
}

type Next = (error?: unknown) => void;
type Middleware = (request: Incoming, response: Outgoing, next: Next) => void;

declare global {
  namespace Express {
    interface Request {
      /** The verdict on the request's user agent; without a verifier, made when it is first read. */
      readonly crawler: Verdict;
    }
  }
}

/** Options of the middleware. */
export interface ExpressOptions extends GuardOptions {
  /** Answers a refused request. The status is 403 unless it sets another. Default: a line of text. */
  readonly onBlock?: Answers["onBlock"] | undefined;
  /** The client's address, for `verifier`. Default: `request.ip`, where `trust proxy` must not be true; without Express the connection's address. */
  readonly addressOf?: AddressOf<[request: ExpressRequest]> | undefined;
}

/**
 * Middleware that gives requests their `crawler`, and answers 403 if the policy refuses them, and 429 if their crawler exceeds its limit.
 * Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers(options: ExpressOptions = {}): Middleware {
  const { refuses, retryAfterOf, lazyVerdict, verify } = createGuard(options, true);
  const onBlock = (options.onBlock ?? sendRefusal) as typeof sendRefusal;
  const addressOf = (options.addressOf ?? addressOfRequest) as typeof addressOfRequest;

  const answer = async (request: Incoming, response: Outgoing): Promise<void> => onBlock(request, response);

  const decide = (request: Incoming, response: Outgoing, next: Next, verdict: () => Verdict): void => {
    Object.defineProperty(request, "crawler", { get: verdict, configurable: true });
    if (refuses(pathOf(request), verdict)) {
      response.statusCode = 403;
      // Express 4 and others do not see a promise that rejects.
      answer(request, response).catch(next);
      return;
    }
    const retryAfter = retryAfterOf(pathOf(request), verdict);
    if (retryAfter === undefined) next();
    else sendTooMany(response, retryAfter);
  };

  return (request, response, next) => {
    const { headers, method } = request;
    const verdict = lazyVerdict(headers["user-agent"]);
    const keep = (verified: Verdict): void => decide(request, response, next, () => verified);
    if (verify === undefined) {
      decide(request, response, next, verdict);
      return;
    }
    const verified = verify(verdict(), { ip: addressOf(request), method, path: pathOf(request), headers });
    // No catch after it: an error of a later handler is not this one's.
    if (verified instanceof Promise) verified.then(keep, next);
    else keep(verified);
  };
}

function pathOf({ originalUrl, url }: Incoming): string | undefined {
  return originalUrl ?? url;
}

function addressOfRequest({ ip, socket, app }: Incoming): string | undefined {
  // With `true`, `ip` is the leftmost entry of X-Forwarded-For, which the client writes.
  if (app?.get("trust proxy") === true)
    throw new TypeError(
      'A verifier needs the number of proxies: app.set("trust proxy", 1). With `true`, clients choose the address that is verified.',
    );
  return ip ?? socket?.remoteAddress;
}

function sendTooMany(response: Outgoing, retryAfter: string): void {
  response.statusCode = 429;
  response.setHeader("retry-after", retryAfter);
  response.setHeader("content-type", refusalType);
  response.end(tooMany);
}

function sendRefusal(_: Incoming, response: Outgoing): void {
  response.setHeader("content-type", refusalType);
  response.end(refusal);
}
