/**
 * Chosen crawlers as terms, for programs that only know and, or and not: a string is meant where one of a term's `any` matches
 * and none of its `none`. Of all the crawlers that go before a chosen one only those are named that a known string of the
 * catalogue makes necessary; so the terms agree with the verdict on every known string.
 */
import { toDecisionList } from "./decision-list.ts";
import type { ExportRequest } from "./target.ts";

export interface Term {
  readonly any: readonly string[];
  readonly none: readonly string[];
}

/** The terms of what is asked for. Rules only know crawlers without a name, so of chosen crawlers they are left out. */
export function toTerms({ crawlers, items, selection, known, itemOf }: ExportRequest): Term[] {
  if (!selection) return [{ any: crawlers, none: [] }];
  const isChosen = items.map((item) => item.name !== undefined && selection(item));
  const chosen = items.filter((_, index) => isChosen[index]);
  const anyChosen = new RegExp(chosen.map(({ expression }) => expression).join("|") || "[]");
  const needed = new Set<number>();
  for (const useragent of known) {
    const index = itemOf(useragent);
    if (index >= 0 && !isChosen[index] && anyChosen.test(useragent)) needed.add(index);
  }
  const steps = toDecisionList(
    items.filter((_, index) => isChosen[index] || needed.has(index)),
    (item) => (isChosen[items.indexOf(item)] ? "1" : "0"),
    "0",
  );
  const none: string[] = [];
  return steps.flatMap(({ expressions, value }) => {
    if (value === "1") return { any: expressions, none: [...none] };
    none.push(...expressions);
    return [];
  });
}
