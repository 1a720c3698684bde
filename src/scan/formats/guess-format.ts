/** Determines the format of a log: from its first lines, or from a name or a server's format string. */
import { createLogReader, lineInMember, unwrapLines } from "../lines/envelope.ts";
import type { LogFormat } from "../lines/format.ts";
import { createLogLine, type FieldName, field, outcome } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { decodeField } from "../lines/unescape.ts";
import { findFormatKind, formatKinds } from "./all-formats.ts";
import { findStatedMisfit, type GivenFields, sampledLines } from "./format-kind.ts";
import { namesOfMembers } from "./json.ts";
import { plain } from "./templates.ts";

export type { GivenFields };

/**
 * The format that the first lines of a log fit as a whole; undefined if none does. Throws an Error for given fields that the
 * lines do not have.
 */
export function guessFormat(lines: readonly string[], given: GivenFields = {}): LogFormat | undefined {
  const { envelope, lines: inner } = unwrapLines(sampleOf(lines));
  const held = given.useragent === undefined ? undefined : guessInMember(inner, [given.useragent]);
  const format = held ?? guessInner(inner, given) ?? guessInMember(inner, lineMembers);
  return format && { ...format, ...(envelope !== undefined && { envelope }) };
}

function guessInner(lines: readonly string[], given: GivenFields): LogFormat | undefined {
  const kinds = Object.keys(given).length === 0 ? formatKinds : formatKinds.filter(({ hasNames }) => hasNames);
  for (const kind of kinds) {
    const format = kind.guess(lines, given);
    if (format !== undefined) return format;
  }
  return undefined;
}

/** The format of a name, or of a format string of nginx or Apache. Throws an Error if the lines do not fit it. */
export function formatOfName(name: string, lines: readonly string[], given: GivenFields = {}): LogFormat {
  const { envelope, lines: inner } = unwrapLines(sampleOf(lines));
  const kind = findFormatKind(name);
  const stated = (lines: readonly string[]): LogFormat =>
    kind?.formatOf(lines, given) ?? { name: "given", escapes: "backslash", template: name };
  const format = kind?.hasNames ? undefined : inMember(inner, lineMembers, stated);
  return format ?? { ...stated(inner), ...(envelope !== undefined && { envelope }) };
}

/** Names that log collectors use for the member with the log line: Docker, Fluent Bit, Filebeat, journald, Loki. */
const lineMembers = ["log", "message", "MESSAGE", "line", "msg", "textPayload"];

/** The format of the log lines in a member with one of these names. */
function guessInMember(lines: readonly string[], names: readonly string[]): LogFormat | undefined {
  return inMember(lines, names, (inner) => {
    const format = guessInner(inner, {});
    return format?.name === plain.names[0] ? undefined : format;
  });
}

function inMember(
  lines: readonly string[],
  names: readonly string[],
  formatOf: (inner: readonly string[]) => LogFormat | undefined,
): LogFormat | undefined {
  // A name with dots is a member, or a path.
  for (const name of names)
    for (const path of name.includes(".") ? [[name], name.split(".")] : [[name]]) {
      const inner = lines.map((line) => lineInMember(line, path));
      if (!matchesMostLines(inner, (line) => line !== undefined)) continue;
      const some = inner.filter((line) => line !== undefined && line.trim() !== "") as readonly string[];
      const format = some.length === 0 ? undefined : formatOf(some);
      if (format !== undefined && findStatedMisfit(format, some) === undefined)
        return { ...format, envelope: "json", member: path };
    }
  return undefined;
}

/** Whether one of the first lines says which user agent asked. */
export function haveUserAgents(lines: readonly string[], format: LogFormat): boolean {
  const read = createLogReader(format);
  const encoder = new TextEncoder();
  const logLine = createLogLine();
  return sampleOf(lines).some((line) => {
    const bytes = encoder.encode(line);
    if (read(bytes, 0, bytes.length, logLine) !== outcome.request) return false;
    const from = logLine.from[field.useragent]!;
    return from !== -1 && decodeField(logLine.source, from, logLine.to[field.useragent]!, format.escapes) !== "";
  });
}

/** Why the first lines do not fit a format that was stated; undefined if most do. */
export function findMisfit(format: LogFormat, lines: readonly string[]): string | undefined {
  // A bare user agent may be any text.
  if (format.name === plain.names[0]) return undefined;
  const { envelope: _, member, ...inner } = format;
  const { lines: unwrapped } = unwrapLines(sampleOf(lines));
  const texts = member === undefined ? unwrapped : unwrapped.map((line) => lineInMember(line, member) ?? "");
  return findStatedMisfit(inner, texts);
}

/** Fields of which a report has figures, with their names for people. */
const reported = { status: "status", time: "time", path: "path", bytes: "size", address: "address" } as const;

/** A sentence about the fields that no column or member is known to be; undefined if there are none, and for formats without names. */
export function findMissingFields(
  { columns, json, countName }: LogFormat,
  lines: readonly string[],
): string | undefined {
  const has = (name: FieldName): boolean =>
    columns?.columns.includes(name) ?? (json?.[name] !== undefined || (name === "path" && json?.request !== undefined));
  // A line with a count of requests is an aggregate, which has no time and no address.
  if ((columns === undefined && json === undefined) || countName !== undefined) return undefined;
  const missing = (Object.keys(reported) as (keyof typeof reported)[]).filter((name) => !has(name));
  if (
    missing.length === 0 ||
    (missing.length === Object.keys(reported).length && has("useragent") && columns?.columns.length === 1)
  )
    return undefined;
  const names = namesOfFields(columns, sampleOf(lines));
  return (
    `No ${columns ? "column" : "member"} is recognized as the ${missing.map((name) => reported[name]).join(", ")}; the report will be incomplete. ` +
    `Available: ${names.slice(0, 300)}. To specify one: --field ${missing[0]}=NAME`
  );
}

function namesOfFields(columns: LogFormat["columns"], lines: readonly string[]): string {
  if (columns === undefined) return namesOfMembers(lines);
  const directive = lines.find((line) => line.startsWith("#Fields:"))?.slice("#Fields:".length);
  return (columns.header ?? directive ?? `${columns.columns.length} columns without names`).trim();
}

/** The first non-empty lines, without carriage returns. */
export function sampleOf(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    .filter((line) => line.trim() !== "")
    .slice(0, sampledLines);
}
