/** The description of a log format. The guess, `--log-format`, the help and docs/scan.md derive from it. */
import { createLogReader } from "../lines/envelope.ts";
import type { LogFormat } from "../lines/format.ts";
import {
  createLogLine,
  type FieldName,
  field,
  fieldNames,
  type GivenFields,
  type LogLine,
  outcome,
} from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { readTime } from "../lines/time.ts";
import { isUserAgent } from "../lines/value-kind.ts";

export interface FormatKind {
  /** The names that `--log-format` takes; the first one is the usual. */
  readonly names: readonly [string, ...string[]];
  /** What its lines are, for docs/scan.md. */
  readonly lines: string;
  /** The format of the log that begins with `lines`; throws an Error that says what is missing. */
  readonly formatOf: (lines: readonly string[], given: GivenFields) => LogFormat;
  /** The same if the lines fit the format as a whole, else undefined; throws an Error for a given field that they lack. */
  readonly guess: (lines: readonly string[], given: GivenFields) => LogFormat | undefined;
  /** Whether its fields have names or numbers, so that `--field` can say where one is. */
  readonly hasNames?: true;
  /** How to have the server log user agents, for a format that often comes without them. */
  readonly toLogUserAgents?: string;
  /** Whether the server writes a hyphen for every user agent unless it is configured to log them. */
  readonly omitsUserAgents?: true;
}

/** How many non-empty lines are examined at the beginning. */
export const sampledLines = 100;

/** Whether `format` reads most lines, with plausible values in them. */
export function readsMost(format: LogFormat, lines: readonly string[], mark: (line: string) => boolean): boolean {
  const misfitOf = createMisfitFinder(format);
  return matchesMostLines(lines, (line) => mark(line) && misfitOf(line) === undefined);
}

/** Why most lines do not fit a format, with the first such line; undefined if most fit. */
export function findMisfit(format: LogFormat, lines: readonly string[]): string | undefined {
  const misfitOf = createMisfitFinder(format);
  if (lines.length === 0 || matchesMostLines(lines, (line) => misfitOf(line) === undefined)) return undefined;
  const line = lines.find((line) => misfitOf(line) !== undefined)!;
  return `${misfitOf(line)} in ${JSON.stringify(line.slice(0, 160))}`;
}

/** Makes the function that says why a line does not fit a format; undefined for a line that fits. */
function createMisfitFinder(format: LogFormat): (line: string) => string | undefined {
  const read = createLogReader(format);
  const encoder = new TextEncoder();
  const logLine = createLogLine();
  return (line) => {
    logLine.from.fill(-1);
    const bytes = encoder.encode(line);
    const result = read(bytes, 0, bytes.length, logLine);
    if (result === outcome.other) return undefined;
    return result === outcome.broken ? "the fields do not match" : findWrongValue(logLine);
  };
}

/** The first field of a line whose value cannot be one of such a field. A hyphen means a missing value. */
function findWrongValue(line: LogLine): string | undefined {
  for (const name of fieldNames) {
    const index = field[name];
    if (line.from[index] === -1) continue;
    const text = new TextDecoder().decode(line.source.subarray(line.from[index], line.to[index]));
    if (text !== "" && text !== "-" && !isPossible(name, text))
      return `the field ${name} is ${JSON.stringify(text.slice(0, 60))}`;
  }
  return undefined;
}

/** What the values of fields can be. */
const checks: Readonly<Partial<Record<FieldName, (text: string) => boolean>>> = {
  time: isTime,
  status: (text) => /^(?:\d{3}|-1|0)$/.test(text),
  bytes: (text) => /^\+?\d+$/.test(text),
  address: isAddressLike,
  useragent: (text) => !isCutInBracket(text),
};

/** Whether a text can be a value of a field. */
export function isPossible(name: FieldName, text: string): boolean {
  return checks[name]?.(text) ?? true;
}

function isTime(text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  return !Number.isNaN(readTime(bytes, 0, bytes.length));
}

/** An address or a host name, with or without a port; a list of them, as proxies write it; or `unix:`. */
function isAddressLike(text: string): boolean {
  return text.split(/, ?/).every((part) => /^(?:\[[\da-fA-F:.%\w]+\]|[\w.:%-]+)(?::\d+)?$/.test(part));
}

/** Whether a browser string ends within its first bracket, so the rest of it was probably read as another field. */
function isCutInBracket(text: string): boolean {
  return /^Mozilla\/\d\.\d \([^)]*$/.test(text) && text.length < 60;
}

/**
 * Throws an Error if the values of the field that was named as the user agent are something else: paths, numbers, times, addresses,
 * objects.
 */
export function refuseOtherValues(name: string, values: readonly string[]): void {
  const some = values.filter((text) => text !== "" && text !== "-");
  const other = some.find(
    (text) => /^(?:[/[{]|\w+:\/\/|[\d.,:]+$)/.test(text) || isTime(text) || / \[\d\d\/[A-Z][a-z]{2}\//.test(text),
  );
  if (other === undefined || some.some(isUserAgent)) return;
  throw new Error(
    `The field ${JSON.stringify(name)} does not contain user agents, but values such as ${JSON.stringify(other.slice(0, 60))}.`,
  );
}
