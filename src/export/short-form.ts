/**
 * The short form of an export of chosen crawlers: it mentions other crawlers only where a known string makes that necessary, and names are
 * in lowercase where case does not matter. Programs that have only and, or and not also have limits, so they get terms of this form.
 */

import { flavors } from "../pattern/flavors.ts";
import { parsePattern } from "../pattern/parse.ts";
import { print } from "../pattern/print.ts";
import { UserError } from "../text/errors.ts";
import type { Item } from "./expressions.ts";
import type { Choice } from "./request.ts";
import { chosenSteps, type ExportRequest, type Matcher } from "./target.ts";

/**
 * Whether a selection is written in the short form unless the user asks for the full one: the selected crawlers have entries, and they are
 * selected by name, operator, purpose or the category `ai`. In other categories, rules find many crawlers that no entry names.
 */
export function isShortByDefault(
  { items, selection }: Pick<ExportRequest, "items" | "selection">,
  { category, purpose, operator, name }: Choice,
): boolean {
  if ([category, purpose, operator, name].every((words) => words === undefined)) return false;
  if (category?.some((words) => words.trim().toLowerCase() !== "ai")) return false;
  return selection !== undefined && !items.some((item) => item.name === undefined && selection(item));
}

/**
 * The same request with fewer items: the selected items, and items that name a string of the catalogue which a selected item also matches.
 * It agrees with the verdict on every known string; strings that contain the marks of two crawlers may be attributed differently. Rules
 * only know crawlers that have no name: of chosen crawlers they are left out.
 */
export function shorten(request: ExportRequest): ExportRequest {
  const { items, selection, known, itemOf, isShort } = request;
  if (!selection || isShort) return request;
  const isChosen = items.map((item) => item.name !== undefined && selection(item));
  const chosen = items.filter((_, index) => isChosen[index]).map((item) => ignoringCase(item, known));
  if (chosen.length === 0) throw new UserError("rules without names cannot be selected alone in the short form");
  const tests = chosen.map(toRegExp);
  const others = new Set(known.filter((useragent) => tests.some((test) => test.test(useragent))).map(itemOf));
  const short = items.flatMap((item, index) => {
    if (isChosen[index]) return chosen.shift()!;
    return others.has(index) ? ignoringCase(item, known) : [];
  });
  return { ...request, items: short, isShort: true };
}

/** The item in lowercase, unless it then matches another known string: a name in another case may be another crawler's. */
function ignoringCase(item: Item, known: readonly string[]): Item {
  const lower: Item = {
    ...item,
    expression: print(parsePattern(item.expression, { printed: true }), flavors.compact),
    ignoresCase: true,
  };
  const [test, lowerTest] = [toRegExp(item), toRegExp(lower)];
  return known.some((useragent) => lowerTest.test(useragent) && !test.test(useragent)) ? item : lower;
}

function toRegExp({ expression, ignoresCase }: Item): RegExp {
  // linear: is a pattern of the catalogue
  return new RegExp(expression, ignoresCase ? "i" : "");
}

/** A string is selected if `any` matches and none of `none`. */
export interface Term {
  readonly any: Matcher;
  readonly none: readonly Matcher[];
}

/** The terms of a request: a string is selected if one of them selects it. */
export function toTerms(request: ExportRequest): Term[] {
  const steps = chosenSteps(shorten(request));
  if (!steps) return [{ any: { expressions: request.crawlers }, none: [] }];
  const none: Matcher[] = [];
  return steps.flatMap((step) => {
    if (step.value === "1") return { any: step, none: [...none] };
    none.push(step);
    return [];
  });
}
