/**
 * Selected crawlers as terms, for programs with only and, or and not: a string is selected if one of a term's `any` matches
 * and none of its `none`. They are made of the short form, as these programs have limits.
 */
import { shorten } from "./shorten.ts";
import { chosenSteps, type ExportRequest } from "./target.ts";

export interface Term {
  readonly any: readonly string[];
  readonly none: readonly string[];
}

/** The terms of a request. */
export function toTerms(request: ExportRequest): Term[] {
  const short = shorten(request);
  const steps = chosenSteps(short);
  if (!steps) return [{ any: short.crawlers, none: [] }];
  const none: string[] = [];
  return steps.flatMap(({ expressions, value }) => {
    if (value === "1") return { any: expressions, none: [...none] };
    none.push(...expressions);
    return [];
  });
}
