/** The package's entry `whocrawls/web`, for web-standard requests: Next.js, Workers, Deno, Bun. */

import { pathOfUrl } from "../detect/policy/decide.ts";
import type { CrawlerVerdict } from "../detect/verdict.ts";
import { type AddressOf, createGuard, type Guarded, type GuardOptions, type RequestVerifier } from "./guard.ts";

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
  const guard = createGuard(options, false);
  const { onBlock, verifier } = options;

  function guardRequest(request: Request, ip: () => string | undefined): Guarded | Promise<Guarded> {
    const { method, url, headers } = request;
    return guard.decide({ userAgent: headers.get("user-agent"), ip, method, path: pathOfUrl(url), headers });
  }

  function toResponse(request: Request, { verdict, answer }: Guarded): Answer | undefined {
    if (answer === undefined) return undefined;
    const { status, headers, text } = answer;
    if (status !== 403 || onBlock === undefined) return new Response(text, { status, headers });
    const own: Answer | undefined = onBlock(request, verdict() as CrawlerVerdict);
    return own instanceof Promise ? own.then(expectAnswer) : expectAnswer(own);
  }

  if (verifier === undefined)
    return (request: Request) => toResponse(request, guardRequest(request, () => undefined) as Guarded);
  const { addressOf } = options as WebVerifyingOptions<readonly unknown[]>;
  return async (request: Request, ...connection: readonly unknown[]) =>
    toResponse(request, await guardRequest(request, () => addressOf(request, ...connection)));
}

type Answer = Response | Promise<Response>;

/** If undefined were returned, the request would pass. */
function expectAnswer(answer: Response | undefined): Response {
  if (!answer) throw new TypeError("`onBlock` must return a Response.");
  return answer;
}
