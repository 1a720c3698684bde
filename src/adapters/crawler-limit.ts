/** The options `limit` and `limitBy` of the middleware, counted in this process. The only file here that reads a clock. */
import { createRateLimiter } from "../cache/token-buckets.ts";
import { type CountOf, type LimitBy, limitKeys, parseLimits } from "../detect/policy/limits.ts";
import type { PolicyWord } from "../detect/policy/policy.ts";
import type { SelectableCrawler } from "../detect/policy/selection.ts";
import { didYouMean, nearestWord } from "../text/nearest-word.ts";

/** A rate per second, minute or hour, such as `30/m`. */
export type CrawlerRate = `${number}/${"s" | "m" | "h"}`;

/** How often crawlers may ask. */
export interface LimitOptions {
  /**
   * Words that select crawlers, each with a rate, such as `{ ai: "30/m", GPTBot: "10/m" }`; the most specific word applies. Requests
   * beyond the rate get 429 with `Retry-After`. Each process counts for itself. Default: no limit.
   */
  readonly limit?: { readonly [Word in PolicyWord]?: CrawlerRate } | undefined;
  /** Whether `limit` counts the requests of a crawler's name, or of all crawlers of an operator. Default `name`. */
  readonly limitBy?: LimitBy | undefined;
}

/** Counts the requests of crawlers in this process. */
export const createCounts = () => createRateLimiter(() => performance.now());

/**
 * Reads the options; undefined without a limit. Throws TypeError for a wrong one, and SelectionError for a word that selects no crawler or
 * has a wrong rate.
 */
export function readLimit(
  options: { readonly [Name in keyof LimitOptions]: unknown },
  crawlers: readonly SelectableCrawler[],
): CountOf | undefined {
  const { limit, limitBy = "name" } = options;
  const by = limitKeys.find((key) => key === limitBy);
  if (by === undefined)
    throw new TypeError(
      `\`limitBy\` must be "name" or "operator".${didYouMean(nearestWord(String(limitBy), limitKeys))}`,
    );
  if (limit === undefined) {
    if ("limit" in options)
      throw new TypeError("`limit` is undefined, so no crawler would be limited; omit it if that is intended.");
    if ("limitBy" in options) throw new TypeError("`limitBy` needs `limit`.");
    return undefined;
  }
  return parseLimits(toEntries(limit), by, crawlers);
}

function toEntries(limit: unknown): [word: string, rate: string][] {
  const entries = typeof limit === "object" && limit !== null ? Object.entries(limit) : [];
  if (entries.length === 0 || Array.isArray(limit) || entries.some(([, rate]) => typeof rate !== "string"))
    throw new TypeError('`limit` must be an object that maps words to rates, such as { ai: "30/m", GPTBot: "10/m" }.');
  return entries.map(([word, rate]) => [word.trim(), rate]);
}
