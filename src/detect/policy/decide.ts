/** Decides what happens to a request; middleware and /auth turn the decision into a response. */
import { type RateLimiter, toRetryAfter } from "../../cache/token-buckets.ts";
import type { Verdict } from "../verdict.ts";
import type { CountOf } from "./limits.ts";
import type { Policy } from "./policy.ts";

/** A request passes, is refused, or exceeds the limit of its crawler: then it has the value of `Retry-After`. */
export type Decision =
  | { readonly action: "pass" | "refuse"; readonly retryAfter?: undefined }
  | { readonly action: "limit"; readonly retryAfter: string };

/** A policy and its limits. */
export interface Rules {
  readonly refuses: Policy;
  /** Undefined without limits. */
  readonly countOf: CountOf | undefined;
}

/** Whether a path names robots.txt, which a crawler must be able to read, because the file tells it that it is refused. */
export function isRobotsTxt(path: string): boolean {
  return /^\/robots\.txt(?:$|\?)/.test(path);
}

/**
 * Decides about a request by its path as it was sent, or by several, if a client may have added headers to the one that the proxy sends;
 * none if it is unknown. `takeOne` counts a request that is not refused. The verdict is made if the rules need it.
 */
export function decide(
  { refuses, countOf }: Rules,
  takeOne: RateLimiter,
  paths: readonly string[],
  verdict: () => Verdict,
): Decision {
  const asked = paths.filter((path) => !isRobotsTxt(path));
  if (paths.length > 0 && asked.length === 0) return { action: "pass" };
  if (refuses(asked, verdict)) return { action: "refuse" };
  const counted = countOf?.(verdict());
  if (counted === undefined) return { action: "pass" };
  const { isAllowed, resetSeconds } = takeOne(counted.key, counted.rate);
  return isAllowed ? { action: "pass" } : { action: "limit", retryAfter: toRetryAfter(resetSeconds) };
}
