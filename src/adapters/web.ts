/** The package's entry `whocrawls/web`: for whatever is given a web-standard Request: Next.js, Workers, Deno, Bun. */
import type { CrawlerVerdict } from "../detect/verdict.ts";
import { createGuard, type GuardOptions, lazyVerdict, refusal, refusalType } from "./guard.ts";

export type { CrawlerVerdict } from "../detect/verdict.ts";
export type { CrawlerName, GuardOptions, PolicyWord, Verdict } from "./guard.ts";

/** Options of `crawlers`. */
export interface WebOptions extends GuardOptions {
  /** Makes the answer to a refused request, in place of 403 with a line of text. */
  readonly onBlock?: ((request: Request, verdict: CrawlerVerdict) => Response) | undefined;
}

/**
 * Makes a function that returns the answer to a request that the policy refuses, and undefined for any other. Throws TypeError
 * for a wrong option, and SelectionError for a word that selects no crawler.
 */
export function crawlers(options: WebOptions = {}): (request: Request) => Response | undefined {
  const refuses = createGuard(options);
  const { onBlock = refuse } = options;
  return (request) => {
    const verdict = lazyVerdict(request.headers.get("user-agent"));
    if (!refuses(pathOf(request.url), verdict)) return undefined;
    return onBlock(request, verdict() as CrawlerVerdict);
  };
}

function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
}

function refuse(): Response {
  return new Response(refusal, { status: 403, headers: { "content-type": refusalType } });
}
