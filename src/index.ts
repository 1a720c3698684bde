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

/** Whether `useragent` belongs to a crawler; throws for no string, takes a fraction of a microsecond. */
export function isCrawler(useragent: string): boolean {
  return detector.isCrawler(useragent);
}

/**
 * As `isCrawler`, of the bytes from `from` to before `to` (ASCII, Latin-1 or UTF-8), without making a string of them: for
 * lines of logs. Offsets beyond the bytes mean their ends.
 */
export function isCrawlerBytes(useragent: Uint8Array, from?: number, to?: number): boolean {
  return detector.isCrawlerBytes(useragent, from, to);
}

export interface CheckOptions {
  /** Also tell every entry and rule that matched, where, and which exceptions held it back. Default false. */
  readonly explain?: boolean;
}

/**
 * The verdict on `useragent`: whether it belongs to a crawler, whose, and what for. Throws for no string.
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
