/** Determines the format of a log from its first lines, or from a name or a server's format string, with what is to say about it. */
import { createLogReader, headers, toEnvelopeText, unwrapLine } from "../lines/envelope.ts";
import { type Envelope, type LogFormat, saysUserAgent } from "../lines/format.ts";
import { createLogLine, type FieldName, field, fieldNames, type GivenFields, outcome } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { decodeField } from "../lines/unescape.ts";
import { adviceOn, findUnreadable } from "./advice.ts";
import { findFormatKind, formatKinds, formatNames } from "./all-formats.ts";
import { findMisfit, sampledLines } from "./format-kind.ts";
import { namesOfMembers } from "./json.ts";
import { plain } from "./templates.ts";

export interface InspectOptions {
  /** The name of a format, or a format string. Default: the format is detected. */
  readonly logFormat?: string | undefined;
  readonly fields?: GivenFields;
  /** How many proxies are trusted, if that was said. */
  readonly trustProxy?: number | undefined;
}

export interface Inspection {
  readonly format: LogFormat;
  /** Sentences for the user: which format was detected, and what the log lacks. */
  readonly remarks: readonly string[];
}

const shownLines = 3;
const shownLength = 160;

/** Names that log collectors use for the member with the log line: Docker, Fluent Bit, Filebeat, journald, Loki. */
const lineMembers = ["log", "message", "MESSAGE", "line", "msg", "textPayload"];

/** The format of a log that begins with `lines`. Throws an Error that says what to do if they fit none, or not the stated one. */
export function inspectLog(
  lines: readonly string[],
  { logFormat, fields = {}, trustProxy }: InspectOptions = {},
): Inspection {
  const damage = findUnreadable(lines);
  if (damage !== undefined) throw new Error(damage);
  const sample = sampleOf(lines);
  const format = logFormat === undefined ? guessedFormat(sample, fields) : statedFormat(sample, logFormat, fields);
  refuseUnusedFields(format, fields);
  const remarks = logFormat === undefined ? [`${toText(format)}, detected from the first lines`] : [];
  const missing = findMissingFields(format, sample);
  if (missing !== undefined) remarks.push(missing);
  const { countName } = format;
  if (countName !== undefined && fields.count === undefined)
    remarks.push(
      `Each line counts as the number of requests in its ${countName}. To count each line once: --field count=-`,
    );
  if (trustProxy === undefined && arePrivate(sample, format))
    remarks.push(
      "The addresses of connections are private, so the last public one of those in X-Forwarded-For is the client's. If that is another proxy's, set the number of proxies: --trust-proxy NUMBER",
    );
  if (sample.length === 0 || haveUserAgents(sample, format)) return { format, remarks };
  const { toLogUserAgents: help, omitsUserAgents = false } = findFormatKind(format.name) ?? {};
  const requests = saysUserAgent(format) ? "requests without one count" : "every request counts";
  const whose = omitsUserAgents || !saysUserAgent(format) ? "a person's" : "a crawler's";
  const hint = help === undefined ? "" : ` To log them: ${help}`;
  remarks.push(`The first lines have no user agents, so ${requests} as ${whose}.${hint}`);
  return { format: omitsUserAgents ? { ...format, omitsUserAgents } : format, remarks };
}

/**
 * The format that the first lines of a log fit as a whole; undefined if none does. Throws an Error for given fields that the
 * lines do not have.
 */
export function detectFormat(lines: readonly string[], given: GivenFields = {}): LogFormat | undefined {
  return afterHeaders(sampleOf(lines), (lines) => {
    const member = given.useragent === undefined ? undefined : inMember(lines, [given.useragent], guessWithin);
    return member ?? guess(lines, given) ?? inMember(lines, lineMembers, guessWithin);
  });
}

/** The format of lines in an object: a user agent alone may as well be another member. */
function guessWithin(lines: readonly string[]): LogFormat | undefined {
  return afterHeaders(lines, (lines) => {
    const format = guess(lines, {});
    return format !== undefined && format.name !== plain.names[0] ? format : inMember(lines, lineMembers, guessWithin);
  });
}

function guess(lines: readonly string[], given: GivenFields): LogFormat | undefined {
  const kinds = Object.keys(given).length === 0 ? formatKinds : formatKinds.filter(({ hasNames }) => hasNames);
  for (const kind of kinds) {
    const format = kind.guess(lines, given);
    if (format !== undefined) return format;
  }
  return undefined;
}

type FormatOf = (lines: readonly string[]) => LogFormat | undefined;

/** The format of lines after the headers that most of them have, or of the lines as they are. */
function afterHeaders(lines: readonly string[], formatOf: FormatOf): LogFormat | undefined {
  for (const header of headers) {
    const inner = unwrap(lines, header);
    if (inner !== undefined) return within(header, afterHeaders(inner, formatOf));
  }
  return formatOf(lines);
}

/** The format of the lines in a member with one of these names. */
function inMember(lines: readonly string[], names: readonly string[], formatOf: FormatOf): LogFormat | undefined {
  // A name with dots is a member, or a path.
  for (const name of names)
    for (const member of name.includes(".") ? [[name], name.split(".")] : [[name]]) {
      const inner = unwrap(lines, { member });
      if (inner === undefined || inner.length === 0) continue;
      const format = formatOf(inner);
      if (format !== undefined && findMisfit(format, inner) === undefined) return within({ member }, format);
    }
  return undefined;
}

function within(envelope: Envelope, format: LogFormat | undefined): LogFormat | undefined {
  return format && { ...format, envelopes: [envelope, ...(format.envelopes ?? [])] };
}

/** The lines in an envelope that most lines have; undefined if they do not. */
function unwrap(lines: readonly string[], envelope: Envelope): readonly string[] | undefined {
  const inner = lines.map((line) => unwrapLine(envelope, line));
  if (!matchesMostLines(inner, (line) => line !== undefined)) return undefined;
  return inner.filter((line) => line !== undefined && line.trim() !== "") as string[];
}

function guessedFormat(sample: readonly string[], fields: GivenFields): LogFormat {
  const format = detectFormat(sample, fields);
  if (format === undefined) {
    const other = Object.keys(fields).length === 0 ? undefined : detectFormat(sample);
    if (other !== undefined) refuseUnusedFields(other, fields);
    throw new Error(adviceOn(sample, fields) ?? toNoFormatText(sample));
  }
  const misfit = format.name === plain.names[0] ? undefined : findMisfit(format, sample);
  if (misfit === undefined) return format;
  throw new Error(
    `Most of the first lines cannot be read as ${format.name}: ${misfit}. Specify another field, or none: --field FIELD=NAME, --field FIELD=-`,
  );
}

/** The format of a name, or of a format string. Throws an Error if the lines do not match it as strictly as they must match a detected one. */
function statedFormat(sample: readonly string[], name: string, fields: GivenFields): LogFormat {
  const kind = findFormatKind(name);
  const members = kind?.hasNames ? [] : [...(fields.useragent === undefined ? [] : [fields.useragent]), ...lineMembers];
  const formatOf = (lines: readonly string[]): LogFormat =>
    afterHeaders(lines, (lines) => inMember(lines, members, formatOf) ?? inside(lines))!;
  const inside = (lines: readonly string[]): LogFormat =>
    kind?.formatOf(lines, fields) ?? { name: "given", escapes: "backslash", template: name };
  const format = formatOf(sample);
  // A bare user agent may be any text.
  const misfit = kind === plain || sample.length === 0 ? undefined : findMisfit(format, sample);
  if (misfit === undefined) return format;
  const guessed = detectFormat(sample, fields);
  const hint =
    guessed === undefined || guessed.name === format.name ? "" : ` They match ${guessed.name}; omit --log-format.`;
  throw new Error(`The first lines do not match --log-format: ${misfit}.${hint}`);
}

/** Throws an Error if fields were given that the format cannot have: only the member that holds its lines has a name. */
function refuseUnusedFields({ name, template, envelopes = [] }: LogFormat, fields: GivenFields): void {
  const { useragent, ...others } = fields;
  const isMember = envelopes.some(
    (envelope) => typeof envelope === "object" && envelope.member.join(".") === useragent,
  );
  if (template === undefined || (Object.keys(others).length === 0 && (useragent === undefined || isMember))) return;
  throw new Error(
    `--field names members of JSON, labels of LTSV, and columns of CSV, TSV and W3C logs, but the lines of the format ${name} have no names: omit it.`,
  );
}

function toText({ name, envelopes = [] }: LogFormat): string {
  return [`${name} format`, ...envelopes.map(toEnvelopeText)].join(" ");
}

function toNoFormatText(lines: readonly string[]): string {
  return [
    "The first lines match no known log format:",
    ...lines.slice(0, shownLines).map((line) => `  ${line.slice(0, shownLength)}`),
    `Specify the format: --log-format with one of ${formatNames.join(", ")}, or the server's own format string. ` +
      "In JSON, CSV and TSV, --field NAME names the member or column with the user agent.",
  ].join("\n");
}

/** Whether one of the first lines says which user agent asked. */
export function haveUserAgents(lines: readonly string[], format: LogFormat): boolean {
  return valuesOf(lines, format).some(({ useragent }) => useragent !== "");
}

/** Addresses of private networks and of the host itself. */
const privateAddress = /^(?:10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd][\da-f]{2}:)/;

/** Whether the addresses of connections are a proxy's, and the lines have forwarded ones. */
function arePrivate(lines: readonly string[], format: LogFormat): boolean {
  return valuesOf(lines, format).some(({ address, forwarded }) => forwarded !== "" && privateAddress.test(address));
}

/** The values of the requests in the first lines; empty for those that are missing. */
function valuesOf(lines: readonly string[], format: LogFormat): readonly Readonly<Record<FieldName, string>>[] {
  const read = createLogReader(format);
  const encoder = new TextEncoder();
  const line = createLogLine();
  const textOf = (name: FieldName): string => {
    const from = line.from[field[name]]!;
    return from === -1 ? "" : decodeField(line.source, from, line.to[field[name]]!, format.escapes);
  };
  return sampleOf(lines).flatMap((text) => {
    const bytes = encoder.encode(text);
    line.from.fill(-1);
    if (read(bytes, 0, bytes.length, line) !== outcome.request) return [];
    return [Object.fromEntries(fieldNames.map((name) => [name, textOf(name)])) as Record<FieldName, string>];
  });
}

/** Fields of which a report has figures, with their names for people. */
const reported = { status: "status", time: "time", path: "path", bytes: "size", address: "address" } as const;

/** A sentence about the fields that no column or member is known to be; undefined if there are none, and for formats without names. */
function findMissingFields({ columns, json, countName }: LogFormat, lines: readonly string[]): string | undefined {
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
