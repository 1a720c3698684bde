/** The library: one catalogue, one expression, one verdict. No dependencies; works in Node 20+, Bun and browsers. */
import { detector } from "./detect/default.ts";
import { explain } from "./detect/default-explain.ts";
import type { ExplainedVerdict } from "./detect/explain.ts";
import type { Verdict } from "./detect/verdict.ts";

export type { Category, Purpose } from "./catalogue/entry.ts";
export type { ExplainedException, ExplainedMatch, ExplainedVerdict } from "./detect/explain.ts";
export type { Verdict } from "./detect/verdict.ts";

/** The catalogue's version: `<package version>+crawler-user-agents.<its version>`. */
export const version: string = detector.version;

/** The regular expression that decides, in the portable subset: needs no flags and works in every engine. */
export const expression: string = detector.expression;

/** Whether `useragent` belongs to a crawler; never throws, takes a fraction of a microsecond. */
export function isCrawler(useragent: string): boolean {
  return detector.isCrawler(useragent);
}

export interface CheckOptions {
  /** Also tell every entry and signature that matched, where, and which exceptions held it back. Default false. */
  readonly explain?: boolean;
}

/**
 * The verdict on `useragent`: whether it belongs to a crawler, whose, and what for. Never throws.
 * `{ explain: true }` adds `explanation`, which takes about a millisecond; without it a verdict takes about a microsecond.
 */
export function check(useragent: string, options: { readonly explain: true }): ExplainedVerdict;
export function check(useragent: string, options?: CheckOptions): Verdict;
export function check(useragent: string, options?: CheckOptions): Verdict {
  return options?.explain ? explain(useragent) : detector.check(useragent);
}

/** The expression compiled for this engine. */
export function regexp(): RegExp {
  return new RegExp(expression);
}

/** The user agent strings the catalogue was evaluated against. */
export function list(): readonly string[] {
  return detector.strings();
}
