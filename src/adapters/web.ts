/** The package's entry `whocrawls/web`, for web-standard requests: Next.js, Workers, Deno, Bun. */
import type { CrawlerVerdict } from "../detect/verdict.ts";
import { tooMany } from "./crawler-limit.ts";
import {
  type AddressOf,
  createGuard,
  type GuardOptions,
  pathOf,
  type RequestVerifier,
  refusal,
  refusalType,
  type Verdict,
} from "./guard.ts";

export type { CrawlerVerdict } from "../detect/verdict.ts";
export type {
  CrawlerName,
  CrawlerRate,
  Detector,
  GuardOptions,
  PolicyWord,
  RequestVerifier,
  Verdict,
} from "./guard.ts";

/** Options of `crawlers`. */
export interface WebOptions<Answer extends Response | Promise<Response> = Response> extends GuardOptions {
  /** Makes the answer to a refused request, instead of 403 with a line of text. May return a promise. */
  readonly onBlock?: ((request: Request, verdict: CrawlerVerdict) => Answer) | undefined;
  readonly verifier?: undefined;
}

/** Options of `crawlers` with a verifier. `Connection` is what the runtime passes with a request, such as Bun's server. */
export interface WebVerifyingOptions<Connection extends readonly unknown[] = readonly []> extends GuardOptions {
  readonly verifier: RequestVerifier;
  /** The client's address, from the request or its connection; undefined if it is unknown. */
  readonly addressOf: AddressOf<[request: Request, ...connection: Connection]>;
  /** Makes the answer to a refused request, instead of 403 with a line of text. */
  readonly onBlock?: ((request: Request, verdict: CrawlerVerdict) => Response | Promise<Response>) | undefined;
}

/**
 * Makes a function that returns the answer to a request that the policy refuses or limits, and undefined for any other; with a verifier, a
 * promise. Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers<Answer extends Response | Promise<Response> = Response>(
  options?: WebOptions<Answer>,
): (request: Request) => Answer | undefined;
export function crawlers<Connection extends readonly unknown[]>(
  options: WebVerifyingOptions<Connection>,
): (request: Request, ...connection: Connection) => Promise<Response | undefined>;
export function crawlers(options: WebOptions<Answer> | WebVerifyingOptions<readonly unknown[]> = {}) {
  const { refuses, retryAfterOf, lazyVerdict, verify } = createGuard(options, false);
  const { onBlock = refuse } = options;

  function answer(request: Request, verdict: () => Verdict): Answer | undefined {
    const path = pathOf(request.url);
    if (!refuses(path, verdict)) {
      const retryAfter = retryAfterOf(path, verdict);
      return retryAfter === undefined ? undefined : refuseForNow(retryAfter);
    }
    const answer: Answer | undefined = onBlock(request, verdict() as CrawlerVerdict);
    return answer instanceof Promise ? answer.then(expectAnswer) : expectAnswer(answer);
  }

  if (verify === undefined)
    return (request: Request) => answer(request, lazyVerdict(request.headers.get("user-agent")));
  const { addressOf } = options as WebVerifyingOptions<readonly unknown[]>;
  return async (request: Request, ...connection: readonly unknown[]) => {
    const { method, url, headers } = request;
    const facts = { ip: addressOf(request, ...connection), method, path: pathOf(url), headers };
    const verified = await verify(lazyVerdict(headers.get("user-agent"))(), facts);
    return answer(request, () => verified);
  };
}

type Answer = Response | Promise<Response>;

/** Undefined would let the request pass. */
function expectAnswer(answer: Response | undefined): Response {
  if (!answer) throw new TypeError("`onBlock` must return a Response.");
  return answer;
}

function refuseForNow(retryAfter: string): Response {
  return new Response(tooMany, { status: 429, headers: { "content-type": refusalType, "retry-after": retryAfter } });
}

function refuse(): Response {
  return new Response(refusal, { status: 403, headers: { "content-type": refusalType } });
}
