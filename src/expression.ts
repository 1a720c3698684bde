/** The package's entry `whocrawls/expression`: the verdict by the expression only, slower and much smaller. */

import { toText } from "./detect/text.ts";
import type { UserAgent } from "./detect/verdict.ts";
import { expression } from "./generated/expression.ts";
import { createTest } from "./pattern/split-expression.ts";

export type { UserAgent } from "./detect/verdict.ts";
/** The regular expression that decides, in the portable subset: needs no flags and works in every engine. */
export { expression };

let test: ((text: string) => boolean) | undefined;

/** Whether `useragent` belongs to a crawler, as `isCrawler` of the package says; takes a few microseconds. */
export function isCrawler(useragent: UserAgent): boolean {
  test ??= createTest(expression);
  return test(toText(useragent));
}
