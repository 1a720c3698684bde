/** The common parts of the adapters of web frameworks: a lazy verdict on a request, the policy that refuses requests, and its options. */
import { check } from "../detect/built-in/check.ts";
import { items } from "../detect/built-in/items.ts";
import { checkOptions, expectDetector } from "../detect/policy/nearest-word.ts";
import { type Policy, type PolicyWords, parsePolicy } from "../detect/policy/policy.ts";
import type { Detector, Verdict } from "../detect/verdict.ts";

export type { CrawlerName, PolicyWord } from "../detect/policy/policy.ts";
export type { Detector, Verdict } from "../detect/verdict.ts";

/** Which crawlers are refused, such as `{ block: ["ai:training", "seo"], allow: "AhrefsBot" }`; adapters add `onBlock`. */
export interface GuardOptions extends PolicyWords {
  /** True refuses no request, to test a policy first. Default false. */
  readonly observe?: boolean | undefined;
  /** Gives the verdicts; `block` and `allow` select from its catalogue. Default: that of this package. */
  readonly detector?: Detector | undefined;
}

/** What an adapter asks about requests. */
export interface Guard {
  readonly refuses: Policy;
  /** A function that makes the verdict when it is first called; a missing user agent is the empty string. */
  readonly lazyVerdict: (userAgent: string | null | undefined) => () => Verdict;
}

/** The answer to a refused request, if the application has no `onBlock`. */
export const refusal = "Crawlers of this kind are not wanted here.\n";
export const refusalType = "text/plain; charset=utf-8";

const example = 'crawlers({ block: "ai:training" })';
const optionNames = ["block", "allow", "detector", "observe", "onBlock"];

const unverified =
  "this middleware knows user agents alone. `verify` of whocrawls/verify and the service's /auth verify crawlers.";

/** Reads the options. Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler. */
export function createGuard(options: GuardOptions & { readonly onBlock?: unknown }): Guard {
  checkOptions("crawlers()", example, optionNames, options);
  checkValues(options);
  const { detector, observe } = options;
  const policy = parsePolicy(options, detector ? detector.catalogue.items : items(), {
    verification: unverified,
    network: unverified,
  });
  return { refuses: observe ? () => false : policy, lazyVerdict: createLazyVerdict(detector?.check ?? check) };
}

function createLazyVerdict(check: Detector["check"]): Guard["lazyVerdict"] {
  return (userAgent) => {
    let verdict: Verdict | undefined;
    return () => {
      verdict ??= check(userAgent ?? "");
      return verdict;
    };
  };
}

/** For callers in JavaScript. */
function checkValues(options: { readonly [Name in "block" | "detector" | "observe" | "onBlock"]?: unknown }): void {
  const { block, detector, observe, onBlock } = options;
  if (detector !== undefined) expectDetector(detector);
  if (block === undefined && "block" in options)
    throw new TypeError("`block` is undefined, so that every crawler would pass; leave it out if that is meant.");
  if (block === undefined && onBlock !== undefined)
    throw new TypeError("`onBlock` needs `block`: it answers refused requests.");
  if (observe !== undefined && typeof observe !== "boolean") throw new TypeError("`observe` must be true or false.");
  if (onBlock !== undefined && typeof onBlock !== "function") throw new TypeError("`onBlock` must be a function.");
}
