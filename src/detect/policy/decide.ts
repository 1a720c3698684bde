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

/**
 * Whether a request is for robots.txt, by all of its targets. A crawler must be able to read that file, because it tells the crawler that
 * it is refused.
 */
export function isForRobotsTxt(targets: readonly string[]): boolean {
  return targets.length > 0 && targets.every((target) => isRobotsTxt(pathOfTarget(target) ?? ""));
}

function isRobotsTxt(path: string): boolean {
  return /^\/robots\.txt(?:$|\?)/.test(path);
}

/**
 * The path and query of a request target, which may be a whole URL (RFC 9112, section 3.2.2); undefined if servers may disagree about where
 * its path begins.
 */
function pathOfTarget(target: string): string | undefined {
  return target.startsWith("/") ? target : pathOfUrl(target);
}

/** The path and query of a URL. Undefined for one without scheme and host, in which frameworks find another path than the one that was sent. */
export function pathOfUrl(url: string): string | undefined {
  return /^https?:\/\/[\w.~:[\]-]+(\/.*)$/is.exec(url)?.[1];
}

/**
 * Decides about a request by its target, or by several, if a client may have added headers to the one that the proxy sends; none if it is
 * unknown. `takeOne` counts a request that is not refused. The verdict is made if the rules need it.
 */
export function decide(
  { refuses, countOf }: Rules,
  takeOne: RateLimiter,
  targets: readonly string[],
  verdict: () => Verdict,
): Decision {
  if (isForRobotsTxt(targets)) return { action: "pass" };
  const paths = targets.map(pathOfTarget).filter((path) => path !== undefined);
  if (refuses(paths.length < targets.length ? [] : paths, verdict)) return { action: "refuse" };
  const counted = countOf?.(verdict());
  if (counted === undefined) return { action: "pass" };
  const { isAllowed, resetSeconds } = takeOne(counted.key, counted.rate);
  return isAllowed ? { action: "pass" } : { action: "limit", retryAfter: toRetryAfter(resetSeconds) };
}
