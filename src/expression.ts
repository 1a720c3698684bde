/** The package's entry `whocrawls/expression`: the verdict by the expression only, slower and much smaller. */

import { toText } from "./detect/text.ts";
import type { UserAgent } from "./detect/verdict.ts";
import { expression } from "./generated/expression.ts";
import { maxCharactersForV8, splitExpression } from "./pattern/split-expression.ts";

export type { UserAgent } from "./detect/verdict.ts";
/** The regular expression that decides, in the portable subset: needs no flags and works in every engine. */
export { expression };

let compiled: readonly RegExp[] | undefined;

/** Whether `useragent` belongs to a crawler, as `isCrawler` of the package says; takes a few microseconds. */
export function isCrawler(useragent: UserAgent): boolean {
  // linear: consists of the catalogue's patterns
  compiled ??= splitExpression(expression, maxCharactersForV8).map((part) => new RegExp(part));
  const text = toText(useragent);
  return compiled.some((part) => part.test(text));
}
