/** Determines the format of a log from its first lines, or from a name or a server's format string, with what is to say about it. */
import { isMember, toEnvelopeText } from "../lines/envelope.ts";
import { type LogFormat, saysUserAgent } from "../lines/format.ts";
import { type FieldName, type GivenFields, outcome } from "../lines/line.ts";
import { isBlankText } from "../lines/value-kind.ts";
import { adviceOn, findUnreadable, remarksOnRows } from "./advice.ts";
import { findFormatKind, formatNames } from "./all-formats.ts";
import { clientOfTwo } from "./combined.ts";
import { namedOf } from "./csv.ts";
import { detectFormat, type Found, findFormat, haveCounts, sampleOf, searchOf } from "./detect-format.ts";
import type { FormatKind } from "./format-kind.ts";
import { caddyClient, membersOf } from "./json.ts";
import { judge, readLines, valuesOf } from "./judge.ts";
import { labelsOf } from "./ltsv.ts";
import { toNames } from "./named-fields.ts";
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
  /** Whether `--trust-proxy` has an effect on its lines, or their address is a client's that the server has found by itself. */
  readonly proxies: "used" | "unused" | "found";
  /** Whether the column with X-Forwarded-For was found by its values. */
  readonly isForwardedGuessed: boolean;
  /** Sentences for the user: which format was detected, and what the log lacks. */
  readonly remarks: readonly string[];
}

const shownLines = 3;
const shownLength = 160;

/** The format of a log that begins with `lines`. Throws an Error that says what to do if they fit none, or not the stated one. */
export function inspectLog(
  lines: readonly string[],
  { logFormat, fields = {}, trustProxy }: InspectOptions = {},
): Inspection {
  const damage = findUnreadable(lines);
  if (damage !== undefined) throw new Error(damage);
  const sample = sampleOf(lines);
  const { format, read } =
    logFormat === undefined ? guessedFormat(sample, fields) : statedFormat(sample, logFormat, fields);
  refuseUnusedFields(format, fields);
  const remarks = logFormat === undefined ? [`${toText(format)}, detected from the first lines`] : [];
  const say = (text: string, isTrue = true): void => void (isTrue && remarks.push(text));
  const texts = read.map(({ text }) => text);
  const missing = findMissingFields(format, texts);
  if (missing !== undefined) say(missing);
  const { countName, columns, json, labels } = format;
  const named = labels
    ? labelsOf(texts)
    : json
      ? membersOf(texts)
      : columns?.header
        ? namedOf(texts.slice(texts.indexOf(columns.header)), columns.separator)
        : [];
  const isSummary = read.every(({ fields: { time, status, path, request } }) =>
    [time, status, path, request].every((text) => text === undefined),
  );
  if (fields.count === undefined && countName === undefined) remarks.push(...remarksOnRows(named, isSummary));
  if (fields.count === undefined && countName !== undefined)
    say(`Each line counts as the number of requests in its ${countName}. To count each line once: --field count=-`);
  if (format.timePattern === "undecided")
    say(
      `The times count as missing: which of the first numbers is the day cannot be told, as in ${JSON.stringify(valuesOf(read, "time")[0])}.`,
    );
  say("The numbers in front look like counts; they are not counted.", haveCounts(sample, format));
  const requests = read.filter(({ result }) => result === outcome.request);
  const arePrivate = requests.some(
    ({ fields: { address = "", forwarded = "" } }) => !isBlankText(forwarded) && privateAddress.test(address),
  );
  const isForwardedGuessed =
    format.template !== undefined &&
    format.name !== "given" &&
    (format.template.includes("X-Forwarded-For") || valuesOf(read, "address").some((text) => text.includes(",")));
  say(
    "X-Forwarded-For was found by its values: the last public address of it and the connection is the client's. Anyone can send this header unless a proxy sets it. If proxies do, set their number: --trust-proxy NUMBER",
    trustProxy === undefined && isForwardedGuessed,
  );
  say(
    "The addresses of connections are private, so the last public one of those in X-Forwarded-For is the client's. If that is another proxy's, set the number of proxies: --trust-proxy NUMBER",
    trustProxy === undefined && arePrivate && !isForwardedGuessed,
  );
  say(
    "Two addresses are in front of each line; the second one is taken for the client's.",
    format.name === "vhost_combined" && clientOfTwo(texts) === "unknown",
  );
  const isForwarded = requests.some(
    ({ fields: { address, forwarded, realip, cdnip } }) =>
      address?.includes(",") || [forwarded, realip, cdnip].some((text) => text !== undefined),
  );
  const isFound = format.json?.address?.join(".") === caddyClient;
  const proxies = isForwarded ? "used" : isFound ? "found" : "unused";
  say(
    "--trust-proxy has no effect: the log has no forwarded addresses.",
    trustProxy !== undefined && sample.length > 0 && proxies === "unused",
  );
  const inspection = { format, proxies, isForwardedGuessed, remarks } as const;
  if (requests.length === 0 || valuesOf(read, "useragent").some((text) => !isBlankText(text))) return inspection;
  const { toLogUserAgents: help, omitsUserAgents = false } = findFormatKind(format.name) ?? {};
  const counted = saysUserAgent(format) ? "requests without one count" : "every request counts";
  const whose = omitsUserAgents || !saysUserAgent(format) ? "a person's" : "a crawler's";
  const hint = help === undefined ? "" : ` To log them: ${help}`;
  say(`The first lines have no user agents, so ${counted} as ${whose}.${hint}`);
  return { ...inspection, format: omitsUserAgents ? { ...format, omitsUserAgents } : format };
}

function guessedFormat(sample: readonly string[], fields: GivenFields): Found {
  const found = findFormat(sample, searchOf(fields));
  if (found === undefined) {
    const other = Object.keys(fields).length === 0 ? undefined : detectFormat(sample);
    if (other !== undefined) refuseUnusedFields(other, fields);
    throw new Error(adviceOn(sample, fields) ?? toNoFormatText(sample));
  }
  if (found.misfit === undefined) return found;
  throw new Error(
    `Most of the first lines cannot be read as ${found.format.name}: ${found.misfit}. Specify another field, or none: --field FIELD=NAME, --field FIELD=-`,
  );
}

/** The format of a name, or of a format string. Throws an Error if the lines do not match it as strictly as they must match a detected one. */
function statedFormat(sample: readonly string[], name: string, given: GivenFields): Found {
  const kind: FormatKind = findFormatKind(name) ?? {
    names: [name],
    lines: "",
    formatsOf: () => [{ name: "given", escapes: "backslash", template: name }],
  };
  const found = findFormat(sample, { given, kinds: [kind], isStated: true });
  const [usual] = found === undefined ? kind.formatsOf(sample, given) : [];
  if (found === undefined) return { format: usual!, ...judge(usual!, sample) };
  // A bare user agent may be any text.
  if (found.misfit === undefined || kind === plain) return found;
  const { format, misfit } = found;
  const guessed = detectFormat(sample, given);
  const hint =
    guessed === undefined || guessed.name === format.name ? "" : ` They match ${guessed.name}; omit --log-format.`;
  throw new Error(`The first lines do not match --log-format: ${misfit}.${hint}`);
}

/** Throws an Error if fields were given that the format cannot have: only the member that holds its lines has a name. */
function refuseUnusedFields({ name, template, envelopes = [] }: LogFormat, fields: GivenFields): void {
  const { useragent, ...others } = fields;
  const isInMember = envelopes.some((envelope) => isMember(envelope) && envelope.member.join(".") === useragent);
  if (template === undefined || (Object.keys(others).length === 0 && (useragent === undefined || isInMember))) return;
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
  return valuesOf(readLines(format, sampleOf(lines)), "useragent").some((text) => !isBlankText(text));
}

/** Addresses of private networks and of the host itself. */
const privateAddress = /^(?:10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd][\da-f]{2}:)/;

/** Fields of which a report has figures, with their names for people. */
const reported = { status: "status", time: "time", path: "path", bytes: "size", address: "address" } as const;

/** A sentence about the fields that no column or member is known to be; undefined if there are none, and for formats without names. */
function findMissingFields(
  { columns, json, labels, countName }: LogFormat,
  lines: readonly string[],
): string | undefined {
  /** Other fields that can stand for one. */
  const instead: Readonly<Partial<Record<FieldName, readonly FieldName[]>>> = {
    path: ["request"],
    address: ["forwarded", "realip", "cdnip"],
  };
  const has = (field: FieldName): boolean =>
    [field, ...(instead[field] ?? [])].some(
      (name) => columns?.columns.includes(name) ?? (json ?? labels)?.[name] !== undefined,
    );
  // A line with a count of requests is an aggregate, which has no time and no address.
  if ((columns ?? json ?? labels) === undefined || countName !== undefined) return undefined;
  const missing = (Object.keys(reported) as (keyof typeof reported)[]).filter((name) => !has(name));
  if (
    missing.length === 0 ||
    (missing.length === Object.keys(reported).length && has("useragent") && columns?.columns.length === 1)
  )
    return undefined;
  const names = labels ? toNames(labelsOf(lines)) : namesOfFields(columns, lines);
  return (
    `No ${columns ? "column" : labels ? "label" : "member"} is recognized as the ${missing.map((name) => reported[name]).join(", ")}; the report will be incomplete. ` +
    `Available: ${names.slice(0, 300)}. To specify one: --field ${missing[0]}=NAME`
  );
}

function namesOfFields(columns: LogFormat["columns"], lines: readonly string[]): string {
  if (columns === undefined) return toNames(membersOf(lines));
  const directive = lines.find((line) => line.startsWith("#Fields:"))?.slice("#Fields:".length);
  return (columns.header ?? directive ?? `${columns.columns.length} columns without names`).trim();
}
