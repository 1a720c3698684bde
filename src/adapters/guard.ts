/** What the adapters of web frameworks share: a lazy verdict on a request, the policy that refuses requests, and its options. */
import { check } from "../detect/built-in/check.ts";
import { items } from "../detect/built-in/items.ts";
import { didYouMean, nearestWord } from "../detect/policy/nearest-word.ts";
import { type Policy, type PolicyWords, parsePolicy } from "../detect/policy/policy.ts";
import type { Verdict } from "../detect/verdict.ts";

export type { CrawlerName, PolicyWord } from "../detect/policy/policy.ts";
export type { Verdict } from "../detect/verdict.ts";

/** Which crawlers are refused, such as `{ block: ["ai:training", "seo"], allow: "AhrefsBot" }`; adapters add `onBlock`. */
export interface GuardOptions extends PolicyWords {
  /** True refuses no request, to try a policy before it is in force. Default false. */
  readonly observe?: boolean | undefined;
}

/** The answer to a refused request, if the application has no `onBlock`. */
export const refusal = "Crawlers of this kind are not wanted here.\n";
export const refusalType = "text/plain; charset=utf-8";

const optionNames = ["block", "allow", "observe", "onBlock"];

const unverified =
  "this middleware knows user agents alone. `verify` of whocrawls/verify and the service's /auth verify crawlers.";

/** Reads the options. Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler. */
export function createGuard(options: GuardOptions & { readonly onBlock?: unknown }): Policy {
  checkOptions(options);
  const policy = parsePolicy(options, items(), unverified);
  return options.observe ? () => false : policy;
}

/** A function that makes the verdict when it is first called; a missing user agent is the empty string. */
export function lazyVerdict(userAgent: string | null | undefined): () => Verdict {
  let verdict: Verdict | undefined;
  return () => {
    verdict ??= check(userAgent ?? "");
    return verdict;
  };
}

/** JavaScript passes anything; a policy that is not read would let everyone in. */
function checkOptions(options: unknown): asserts options is GuardOptions {
  if (typeof options !== "object" || options === null || Symbol.iterator in options)
    throw new TypeError('crawlers() takes an object, such as crawlers({ block: "ai:training" }).');
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue;
    const hint = didYouMean(nearestWord(name, optionNames));
    throw new TypeError(
      `crawlers() has no option ${JSON.stringify(name)}.${hint} There are ${optionNames.join(", ")}.`,
    );
  }
  const { observe, onBlock } = options as Readonly<Record<string, unknown>>;
  if (observe !== undefined && typeof observe !== "boolean") throw new TypeError("`observe` must be true or false.");
  if (onBlock !== undefined && typeof onBlock !== "function") throw new TypeError("`onBlock` must be a function.");
}
