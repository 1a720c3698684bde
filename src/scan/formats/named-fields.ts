/** Which of the names of a log's columns, labels or members have which fields. */
import { isUserAgentName, rankOf } from "../lines/field-aliases.ts";
import { type FieldName, fieldNames, type GivenFields } from "../lines/line.ts";
import { isUserAgent } from "../lines/value-kind.ts";
import { findDateAndClock } from "./date-and-clock.ts";
import { strength, strengthOf } from "./field-values.ts";

/** The name of a column or label, or the names that lead to a member; and its values in the first lines. */
export interface Named {
  readonly path: readonly string[];
  readonly values: readonly string[];
}

/** The index of the name of each field; `date` is the day, where `time` is only a time of the day. */
export type ChosenFields = Readonly<Partial<Record<FieldName | "date", number>>>;

/** The name that means that there is no such field. */
const noField = "-";

/**
 * The fields of a log: as given, else the first of the best names whose values can be such a field. `indexOf` finds a given name, and
 * throws an Error if there is none.
 */
export function chooseFields(
  named: readonly Named[],
  given: GivenFields,
  indexOf: (name: string) => number,
): ChosenFields {
  const chosen: Partial<Record<FieldName | "date", number>> = {};
  for (const name of fieldNames) {
    if (given[name] === noField) continue;
    const index = given[name] === undefined ? bestOf(name, named) : indexOf(given[name]);
    if (index !== -1) chosen[name] = index;
  }
  const pair =
    given.time === undefined
      ? findDateAndClock(
          named.map(({ path }) => path.at(-1)!),
          named.map(({ values }) => values),
        )
      : undefined;
  return pair === undefined ? chosen : { ...chosen, time: pair.clock, date: pair.date };
}

/** The index of the name that fits a field best: by its values first, then by the name; -1 if there is none. */
export function bestOf(fieldName: FieldName, named: readonly Named[]): number {
  let [best, bestRank] = [-1, Number.POSITIVE_INFINITY];
  for (const [index, { path, values }] of named.entries()) {
    // Deeper in an object, a count is probably of something else.
    if (fieldName === "count" && path.length > 1) continue;
    // The whole path is a better indication than its last name, and a member near the top a better one than a nested member.
    const rank = rankOf(fieldName, path.join(".")) ?? (rankOf(fieldName, path.at(-1)!) ?? Infinity) + 100 * path.length;
    if (rank === Infinity) continue;
    const found = strengthOf(fieldName, values);
    const total = rank + 1000 * (strength.evident - found);
    if (found !== strength.impossible && total < bestRank) [best, bestRank] = [index, total];
  }
  return best;
}

/** Whether a name is certainly the user agent's, or its values are user agents. */
export function haveAgent(named: readonly Named[]): boolean {
  const best = named[bestOf("useragent", named)];
  if (best === undefined) return false;
  const { path, values } = best;
  return [path.at(-1)!, path.join(".")].some(isUserAgentName) || values.some(isUserAgent);
}
