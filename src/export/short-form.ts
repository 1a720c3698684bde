/**
 * The short form of an export of chosen crawlers: it mentions other crawlers only where a known string makes that necessary. Programs that
 * have only and, or and not also have limits, so they get terms of this form.
 */
import { UserError } from "../text/errors.ts";
import { chosenSteps, type ExportRequest } from "./target.ts";

/**
 * The same request with fewer items: the selected items, and items that name a string of the catalogue which a selected item also matches.
 * It agrees with the verdict on every known string; strings that contain the marks of two crawlers may be attributed differently. Rules
 * only know crawlers that have no name: of chosen crawlers they are left out.
 */
export function shorten(request: ExportRequest): ExportRequest {
  const { items, selection, known, itemOf } = request;
  if (!selection) return request;
  const isChosen = items.map((item) => item.name !== undefined && selection(item));
  const chosen = items.filter((_, index) => isChosen[index]).map(({ expression }) => expression);
  if (chosen.length === 0) throw new UserError("rules without names cannot be selected alone in the short form");
  const expression = chosen.join("|");
  // linear: consists of the catalogue's patterns
  const anyChosen = new RegExp(expression);
  const others = new Set(known.filter((useragent) => anyChosen.test(useragent)).map(itemOf));
  const isNeeded = items.map((_, index) => others.has(index) && !isChosen[index]);
  const { selection: _, ...whole } = request;
  return {
    ...whole,
    crawlers: chosen,
    expression,
    items: items.filter((_, index) => isChosen[index] || isNeeded[index]),
    ...(isNeeded.includes(true) ? { selection } : {}),
  };
}

/** A string is selected if one of `any` matches and none of `none`. */
export interface Term {
  readonly any: readonly string[];
  readonly none: readonly string[];
}

/** The terms of a request: a string is selected if one of them selects it. */
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
