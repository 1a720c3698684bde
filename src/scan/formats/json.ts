/** Logs of JSON objects: finds out where in them the fields are. */
import type { LogFormat } from "../lines/format.ts";
import { parseObject, textAt } from "../lines/json-lines.ts";
import type { FieldName, GivenFields } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { type FormatKind, ofSample, refuseOtherValues } from "./format-kind.ts";
import { chooseFields, haveAgent, type Named } from "./named-fields.ts";

export const json: FormatKind = {
  names: ["json", "caddy"],
  lines: "one JSON object per line",
  hasNames: true,
  formatsOf: (lines, given) => [jsonFormatOf(lines, given)],
  isLikely: (lines, given) =>
    matchesMostLines(objectsOf(lines), (object) => object !== undefined) &&
    (given.useragent !== undefined || haveAgent(membersOf(lines))),
};

/** Names that log collectors use for the member with the log line: Docker, Fluent Bit, Filebeat, journald, Loki. */
export const lineMembers = ["log", "message", "MESSAGE", "line", "msg", "textPayload"];

/** Caddy has found the client by its own setting of trusted proxies. */
export const caddyClient = "request.client_ip";

/** Throws an Error if no member is known to be the user agent. */
function jsonFormatOf(lines: readonly string[], given: GivenFields): LogFormat {
  const named = membersOf(lines);
  const names = namesOf(named);
  const chosen = chooseFields(named, given, (name) => indexOfGiven(name, named));
  if (chosen.useragent === undefined) {
    throw new Error(
      `No member of the JSON objects is recognized as the user agent; they have ${names}. Specify it: --field NAME.`,
    );
  }
  if (given.useragent !== undefined) {
    const { values } = named[chosen.useragent]!;
    if (values.length === 0)
      throw new Error(`The member ${JSON.stringify(given.useragent)} is not text, but a list of other values.`);
    refuseOtherValues(given.useragent, values);
  }
  const paths: Partial<Record<FieldName | "date", readonly string[]>> = {};
  for (const [name, index] of Object.entries(chosen)) paths[name as FieldName] = named[index]!.path;
  if (given.forwarded === undefined && paths.address?.join(".") === caddyClient) {
    delete paths.forwarded;
    delete paths.realip;
    delete paths.cdnip;
  }
  const isCaddy = lines.some((line) => line.includes('"http.log.access'));
  return {
    name: isCaddy ? "caddy" : "json",
    escapes: "none",
    json: paths,
    ...(paths.count !== undefined && { countName: paths.count.join(".") }),
  };
}

/** A name with dots is a path, unless a member has just that name. Throws an Error if no line has it. */
function indexOfGiven(name: string, named: readonly Named[]): number {
  const index = named.findIndex(({ path }) => path.length === 1 && path[0] === name);
  const found = index === -1 ? named.findIndex(({ path }) => path.join(".") === name) : index;
  if (found !== -1) return found;
  throw new Error(
    `The first lines have no member ${JSON.stringify(name)}; they have ${namesOf(named)}. Specify another: --field NAME.`,
  );
}

/** The names of the members of lines that are JSON objects. */
export function namesOfMembers(lines: readonly string[]): string {
  return namesOf(membersOf(lines));
}

function namesOf(named: readonly Named[]): string {
  const names = named.map(({ path }) => path.join(".")).join(", ");
  return names.length > 300 ? `${names.slice(0, 300)}…` : names;
}

/** The objects of lines; undefined for another line. */
const objectsOf = ofSample((lines) => lines.map(parseObject));

/** The members of all objects, with their values. */
const membersOf = ofSample((lines): readonly Named[] => {
  const objects = objectsOf(lines).filter((object) => object !== undefined);
  const paths = new Map(objects.flatMap(leavesOf).map((path) => [JSON.stringify(path), path]));
  return [...paths.values()].map((path) => ({ path, values: objects.flatMap((object) => textAt(object, path) ?? []) }));
});

/** The paths to texts and numbers of an object, to a depth of four. */
function leavesOf(value: unknown): readonly (readonly string[])[] {
  return leavesBelow(value, []);
}

function leavesBelow(value: unknown, path: readonly string[]): readonly (readonly string[])[] {
  const inner = typeof value === "string" && !lineMembers.includes(path[0]!) ? parseObject(value) : undefined;
  if (inner !== undefined) return leavesBelow(inner, path);
  if (typeof value === "string" || typeof value === "number") return path.length > 0 ? [path] : [];
  if (Array.isArray(value)) return path.length > 0 && value.length > 0 ? [path] : [];
  if (typeof value !== "object" || value === null || path.length === 4) return [];
  return Object.entries(value).flatMap(([name, member]) => leavesBelow(member, [...path, name]));
}
