/** What the adapters of web frameworks share: a lazy verdict on a request, and the policy that refuses requests. */
import { detector } from "../detect/built-in/detector.ts";
import { type Policy, type PolicyWords, parsePolicy } from "../detect/policy.ts";
import type { Verdict } from "../detect/verdict.ts";

export type { Verdict } from "../detect/verdict.ts";

/** `block` and `allow` are words that choose crawlers, such as `ai:training,seo` and `Googlebot`. */
export interface GuardOptions extends PolicyWords {
  /** True refuses no request, to try a policy before it is in force. Default false. */
  readonly observe?: boolean;
}

/** What a refused client is told. */
export const refusal = "Crawlers of this kind are not wanted here.\n";

/** Reads the options. Throws SelectionError for a word that chooses nothing. */
export function createGuard({ observe = false, ...words }: GuardOptions): Policy {
  const policy = parsePolicy(words);
  return observe ? () => false : policy;
}

/** A function that makes the verdict when it is first called; a request without a user agent is asked about as an empty one. */
export function lazyVerdict(userAgent: string | undefined): () => Verdict {
  let verdict: Verdict | undefined;
  return () => {
    verdict ??= detector.check(userAgent ?? "");
    return verdict;
  };
}
