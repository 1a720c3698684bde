/** The library: one catalogue, one expression, one verdict. No dependencies; works in Node 20+, Bun and browsers. */
import { detector } from "./detect/default.ts";
import type { Verdict } from "./detect/verdict.ts";

export type { Category, Purpose } from "./catalogue/entry.ts";
export type { Verdict } from "./detect/verdict.ts";

/** The catalogue's version: `<package version>+crawler-user-agents.<its version>`. */
export const version: string = detector.version;

/** The regular expression that decides, in the portable subset: needs no flags and works in every engine. */
export const expression: string = detector.expression;

/** Whether `useragent` belongs to a crawler; never throws, takes a fraction of a microsecond. */
export function isCrawler(useragent: string): boolean {
  return detector.isCrawler(useragent);
}

/** The verdict on `useragent`: whether it belongs to a crawler, whose, and what for. Never throws. */
export function check(useragent: string): Verdict {
  return detector.check(useragent);
}

/** The expression compiled for this engine. */
export function regexp(): RegExp {
  return new RegExp(expression);
}

/** The user agent strings the catalogue was evaluated against. */
export function list(): readonly string[] {
  return detector.strings();
}
