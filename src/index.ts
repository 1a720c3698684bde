/**
 * The library: one catalogue, one expression, one verdict. No dependencies; works in Node 20+, Bun and browsers. Each
 * function has a module of its own, so that a bundle has only the tables of what it uses.
 */
import { check as checkOnly } from "./detect/built-in/check.ts";
import { explain } from "./detect/built-in/explain.ts";
import { strings } from "./detect/built-in/strings.ts";
import type { ExplainedVerdict, UserAgent, Verdict } from "./detect/verdict.ts";
import { expression } from "./generated/expression.ts";

export { detector } from "./detect/built-in/detector.ts";
export { isCrawler, isCrawlerBytes } from "./detect/built-in/is-crawler.ts";
export type { Category, Purpose } from "./detect/categories.ts";
export { type CustomCrawler, type ExtendOptions, extendDetector } from "./detect/extend-detector.ts";
export { loadDetector } from "./detect/file/load-detector.ts";
export type {
  CrawlerVerdict,
  Detector,
  ExplainedException,
  ExplainedMatch,
  ExplainedVerdict,
  PersonVerdict,
  UserAgent,
  Verdict,
} from "./detect/verdict.ts";
/** The catalogue's version: `<package version>+crawler-user-agents.<its version>`. */
export { version } from "./generated/about.ts";
/** The regular expression that decides, in the portable subset: needs no flags and works in every engine. */
export { expression };

export interface CheckOptions {
  /** Also report every entry and rule that matched, where, and which exceptions held it back. Default false. */
  readonly explain?: boolean;
}

/**
 * The verdict on `useragent`: whether it belongs to a crawler, whose, and what for. A missing one is the empty string.
 * `{ explain: true }` adds `explanation`, which takes about a millisecond; without it a verdict takes about a microsecond.
 */
export function check(useragent: UserAgent, options: { readonly explain: true }): ExplainedVerdict;
export function check(useragent: UserAgent, options?: CheckOptions): Verdict;
export function check(useragent: UserAgent, options?: CheckOptions): Verdict {
  return options?.explain ? explain(useragent) : checkOnly(useragent);
}

/** The expression compiled for this engine. */
export function regexp(): RegExp {
  // linear: consists of the catalogue's patterns
  return new RegExp(expression);
}

/** The user agent strings the catalogue was evaluated against. */
export function list(): readonly string[] {
  return strings();
}
