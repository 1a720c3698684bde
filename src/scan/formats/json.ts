/** Logs of JSON objects: finds out where in them the fields are. */
import type { LogFormat } from "../lines/format.ts";
import { parseObject, textAt } from "../lines/json-lines.ts";
import type { FieldName, GivenFields } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { type FormatKind, ofSample } from "./format-kind.ts";
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
  const chosen = chooseFields("member", named, given);
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

/** The objects of lines; undefined for another line. */
const objectsOf = ofSample((lines) => lines.map(parseObject));

/** The members of all objects, with their values. */
export const membersOf = ofSample((lines): readonly Named[] => {
  const objects = objectsOf(lines).filter((object) => object !== undefined);
  const paths = new Map(objects.flatMap(leavesOf).map((path) => [JSON.stringify(path), path]));
  return [...paths.values()].map((path) => ({
    name: path.join("."),
    path,
    values: objects.flatMap((object) => textAt(object, path) ?? []),
  }));
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
