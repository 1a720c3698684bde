/** The package's entry `whocrawls/web`, for web-standard requests: Next.js, Workers, Deno, Bun. */
import type { CrawlerVerdict } from "../detect/verdict.ts";
import { createGuard, type GuardOptions, refusal, refusalType } from "./guard.ts";

export type { CrawlerVerdict } from "../detect/verdict.ts";
export type { CrawlerName, Detector, GuardOptions, PolicyWord, Verdict } from "./guard.ts";

/** Options of `crawlers`. */
export interface WebOptions<Answer extends Response | Promise<Response> = Response> extends GuardOptions {
  /** Makes the answer to a refused request, instead of 403 with a line of text. May return a promise. */
  readonly onBlock?: ((request: Request, verdict: CrawlerVerdict) => Answer) | undefined;
}

/**
 * Makes a function that returns the answer to a request that the policy refuses, and undefined for any other. Throws TypeError
 * for a wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers<Answer extends Response | Promise<Response> = Response>(
  options: WebOptions<Answer> = {},
): (request: Request) => Answer | undefined {
  const { refuses, lazyVerdict } = createGuard(options);
  const onBlock = options.onBlock ?? (refuse as () => Answer);
  return (request) => {
    const verdict = lazyVerdict(request.headers.get("user-agent"));
    if (!refuses(pathOf(request.url), verdict)) return undefined;
    const answer: Answer | undefined = onBlock(request, verdict() as CrawlerVerdict);
    return (answer instanceof Promise ? answer.then(expectAnswer) : expectAnswer(answer)) as Answer;
  };
}

/** Undefined would let the request pass. */
function expectAnswer(answer: Response | undefined): Response {
  if (!answer) throw new TypeError("`onBlock` must return a Response.");
  return answer;
}

function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
}

function refuse(): Response {
  return new Response(refusal, { status: 403, headers: { "content-type": refusalType } });
}
