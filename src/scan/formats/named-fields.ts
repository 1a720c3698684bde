/** Which of the names of a log's columns, labels or members have which fields. */
import { isUserAgentName, rankOf } from "../lines/field-aliases.ts";
import { type FieldName, fieldNames, type GivenFields } from "../lines/line.ts";
import { isUserAgent } from "../lines/value-kind.ts";
import { findDateAndClock } from "./date-and-clock.ts";
import { isTime, strength, strengthOf } from "./field-values.ts";

/** A column, label or member, with its values in the first lines. */
export interface Named {
  /** As the user writes it. */
  readonly name: string;
  /** The names that lead to it, by which its field is found. */
  readonly path: readonly string[];
  readonly values: readonly string[];
}

/** The index of the name of each field; `date` is the day, where `time` is only a time of the day. */
export type ChosenFields = Readonly<Partial<Record<FieldName | "date", number>>>;

/** The name that means that there is no such field. */
export const noField = "-";

/** The fields of a log as given, else by the values and the names. Throws an Error if a given name or the user agent is not there. */
export function chooseFields(
  what: "column" | "label" | "member",
  named: readonly Named[],
  given: GivenFields,
): ChosenFields {
  const chosen = chooseKnown(named, given, (name) => {
    // A number first: without a header, the names are values, and any of them may be that number.
    if (what === "column" && /^[1-9]\d*$/.test(name) && Number(name) <= named.length) return Number(name) - 1;
    const own = named.findIndex(({ path }) => path.length === 1 && path[0] === name);
    const found = own === -1 ? named.findIndex((one) => one.name === name) : own;
    if (found === -1) throw new Error(`There is no ${what} ${JSON.stringify(name)}; ${what}s are ${toNames(named)}.`);
    return found;
  });
  const { useragent } = chosen;
  if (useragent === undefined) {
    refuseOtherName(what, named);
    const hint = "None has values like a user agent; if one is: --field NAME.";
    throw new Error(`None of the ${what}s ${toNames(named)} is recognized as the user agent. ${hint}`);
  }
  if (what === "member" && given.useragent !== undefined && named[useragent]!.values.length === 0)
    throw new Error(`The member ${JSON.stringify(given.useragent)} is not text, but a list of other values.`);
  if (given.useragent !== undefined) refuseOtherValues(given.useragent, named[useragent]!.values);
  return chosen;
}

/** Throws an Error if the user agent has a name that is not known, by its values. */
export function refuseOtherName(what: string, named: readonly Named[]): void {
  const like = named.find(({ values }) => values.some(isUserAgent));
  if (like === undefined) return;
  throw new Error(
    `None of the ${what}s ${toNames(named)} is recognized as the user agent. Specify it: ${toOption(like.name)}.`,
  );
}

/** The option that names a field, as a shell takes it; the user agent has no name of its own. */
export function toOption(name: string, field?: FieldName): string {
  const text = `${field === undefined ? "" : `${field}=`}${name}`;
  return `--field ${/^[\w.@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`}`;
}

/** For messages. */
export function toNames(named: readonly Named[]): string {
  const names = named.map(({ name }) => name).join(", ");
  return names.length > 300 ? `${names.slice(0, 300)}…` : names;
}

/** The fields that are known; `indexOf` finds a given name. */
export function chooseKnown(
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
  // A request line has the path; what is called a path beside it can be a file. Apache's examples call the path a request.
  if (chosen.request !== undefined && given.path === undefined && given.request === undefined) {
    const { values } = named[chosen.request]!;
    if (strengthOf("request", values) >= strength.likely) delete chosen.path;
    else if (strengthOf("path", values) >= strength.likely) {
      chosen.path ??= chosen.request;
      delete chosen.request;
    }
  }
  const pair = given.time === undefined ? findDateAndClock(named) : undefined;
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

/**
 * Throws an Error if the values of the field that was named as the user agent are something else: paths, numbers, times, addresses,
 * objects.
 */
function refuseOtherValues(name: string, values: readonly string[]): void {
  const some = values.filter((text) => text !== "" && text !== "-");
  // A header, or all of them as one text, is another value, too.
  const other = some.find(
    (text) =>
      /^(?:[/[{]|[A-Z][\w-]*(?::|%3A)(?: |%20)|\w+:\/\/|[\d.,:]+$)/.test(text) ||
      isTime(text) ||
      / \[\d\d\/[A-Z][a-z]{2}\//.test(text),
  );
  if (other === undefined || some.some(isUserAgent)) return;
  throw new Error(
    `The field ${JSON.stringify(name)} does not contain user agents, but values such as ${JSON.stringify(other.slice(0, 60))}.`,
  );
}
