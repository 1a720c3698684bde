/** The package's entry `whocrawls/expression`: the verdict by the expression alone, slower and a fraction of the size. */
import { toText } from "./detect/to-text.ts";
import type { UserAgent } from "./detect/verdict.ts";
import { expression } from "./generated/expression.ts";

export type { UserAgent } from "./detect/verdict.ts";
/** The regular expression that decides, in the portable subset: needs no flags and works in every engine. */
export { expression };

let compiled: RegExp | undefined;

/** Whether `useragent` belongs to a crawler, as `isCrawler` of the package says; takes a few microseconds. */
export function isCrawler(useragent: UserAgent): boolean {
  compiled ??= new RegExp(expression);
  return compiled.test(toText(useragent));
}
