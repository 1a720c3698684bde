/** The catalogue as a decision list: steps that are tried in order, of which the first that matches gives the value. */
import type { Item } from "./export-items.ts";

export interface Step {
  /** The step matches where any of these does. */
  readonly expressions: readonly string[];
  readonly value: string;
}

/**
 * The list that gives a crawler's string the value of the item that it is attributed to; neighbors with the same value are
 * one step. Steps at the end that return `otherwise` are omitted, because a program returns it if no step matches.
 */
export function toDecisionList(items: readonly Item[], toValue: (item: Item) => string, otherwise: string): Step[] {
  const steps: { expressions: string[]; value: string }[] = [];
  for (const item of items) {
    const value = toValue(item);
    const last = steps.at(-1);
    if (last?.value === value) last.expressions.push(item.expression);
    else steps.push({ expressions: [item.expression], value });
  }
  return steps.slice(0, steps.findLastIndex(({ value }) => value !== otherwise) + 1);
}
