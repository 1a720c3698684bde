/** Logs of JSON objects: finds out where in them the fields are. */
import { isUserAgentName, rankOf } from "../lines/field-aliases.ts";
import type { LogFormat } from "../lines/format.ts";
import { type JsonPaths, textAt } from "../lines/json-lines.ts";
import { type FieldName, fieldNames } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { findDateAndClock } from "./date-and-clock.ts";
import { type FormatKind, type GivenFields, isUserAgent, noField, refuseOtherValues } from "./format-kind.ts";

export const json: FormatKind = {
  names: ["json", "caddy"],
  lines: "one JSON object per line",
  hasNames: true,
  formatOf: jsonFormatOf,
  guess: (lines, given) => {
    if (!matchesMostLines(lines, (line) => parseObject(line) !== undefined)) return undefined;
    if (given.useragent !== undefined) return jsonFormatOf(lines, given);
    const objects = lines.flatMap((line) => parseObject(line) ?? []);
    const path = bestPath("useragent", objects.flatMap(leavesOf));
    if (path === undefined) return undefined;
    const isCertain = isUserAgentName(path.at(-1)!) || isUserAgentName(path.join("."));
    const values = objects.flatMap((object) => textAt(object, path) ?? []);
    return isCertain || values.some(isUserAgent) ? jsonFormatOf(lines, given) : undefined;
  },
};

/** Throws an Error if no member is known to be the user agent. */
function jsonFormatOf(lines: readonly string[], given: GivenFields): LogFormat {
  const paths: Partial<Record<FieldName, readonly string[]>> = {};
  const found = lines.flatMap((line) => leavesOf(parseObject(line)));
  for (const name of fieldNames) {
    // At deeper levels, a count is probably of something else.
    const named = name === "count" ? found.filter((path) => path.length === 1) : found;
    const path = given[name] === undefined ? bestPath(name, named) : toPath(given[name], found);
    if (path !== undefined) paths[name] = path;
  }
  if (paths.useragent === undefined) {
    throw new Error(
      `No member of the JSON objects is recognized as the user agent; they have ${namesOf(found)}. Specify it: --field NAME.`,
    );
  }
  if (given.useragent !== undefined) {
    const objects = lines.flatMap((line) => parseObject(line) ?? []);
    const values = objects.flatMap((object) => textAt(object, paths.useragent!) ?? []);
    if (values.length === 0)
      throw new Error(`The member ${JSON.stringify(given.useragent)} is not text, but a list of other values.`);
    refuseOtherValues(given.useragent, values);
  }
  const date = given.time === undefined && paths.time && dateFor(paths.time, found, lines);
  const isCaddy = lines.some((line) => line.includes('"http.log.access'));
  const countName = paths.count?.join(".");
  return {
    name: isCaddy ? "caddy" : "json",
    escapes: "none",
    json: { ...paths, ...(date && { date: date.date, time: date.clock }) } satisfies JsonPaths,
    ...(countName !== undefined && { countName }),
  };
}

/** The members with the day and the time of the day, if the time is in two members. */
function dateFor(time: readonly string[], found: readonly (readonly string[])[], lines: readonly string[]) {
  const objects = lines.flatMap((line) => parseObject(line) ?? []);
  const names = [...new Map([time, ...found].map((path) => [path.join("."), path])).values()];
  const pair = findDateAndClock(
    names.map((path) => path.at(-1)!),
    names.map((path) => objects.flatMap((object) => textAt(object, path) ?? [])),
  );
  return pair && { date: names[pair.date]!, clock: names[pair.clock]! };
}

/** A name with dots is a path, unless a member has just that name. Throws an Error if no line has it. */
function toPath(name: string, found: readonly (readonly string[])[]): readonly string[] | undefined {
  if (name === noField) return undefined;
  const path =
    found.find((path) => path.length === 1 && path[0] === name) ?? found.find((path) => path.join(".") === name);
  if (path === undefined) {
    throw new Error(
      `The first lines have no member ${JSON.stringify(name)}; they have ${namesOf(found)}. Specify another: --field NAME.`,
    );
  }
  return path;
}

/** The names of the members of lines that are JSON objects. */
export function namesOfMembers(lines: readonly string[]): string {
  return namesOf(lines.flatMap((line) => leavesOf(parseObject(line))));
}

function namesOf(paths: readonly (readonly string[])[]): string {
  const names = [...new Set(paths.map((path) => path.join(".")))].join(", ");
  return names.length > 300 ? `${names.slice(0, 300)}…` : names;
}

function bestPath(fieldName: FieldName, found: readonly (readonly string[])[]): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const path of found) {
    // The whole path is a better indication than its last name, and a member near the top a better one than a nested member.
    const rank =
      rankOf(fieldName, path.join(".")) ?? (rankOf(fieldName, path.at(-1) as string) ?? Infinity) + 100 * path.length;
    if (rank < bestRank) [best, bestRank] = [path, rank];
  }
  return best;
}

/** The paths to texts and numbers of an object, to a depth of four. */
function leavesOf(value: unknown): readonly (readonly string[])[] {
  return leavesBelow(value, []);
}

function leavesBelow(value: unknown, path: readonly string[]): readonly (readonly string[])[] {
  if (typeof value === "string" || typeof value === "number") return path.length > 0 ? [path] : [];
  if (Array.isArray(value)) return path.length > 0 && value.length > 0 ? [path] : [];
  if (typeof value !== "object" || value === null || path.length === 4) return [];
  return Object.entries(value).flatMap(([name, member]) => leavesBelow(member, [...path, name]));
}

function parseObject(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
