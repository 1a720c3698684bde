/** What a format of logs says of itself. The guess, `--log-format`, the help and docs/scan.md derive from it. */
import { createReader, type LogFormat } from "../lines/format.ts";
import { createLogLine, type FieldName, field, type LogLine, outcome } from "../lines/line.ts";
import { mostFit } from "../lines/most-fit.ts";
import { readTime } from "../lines/time.ts";

/** What the user has said of the fields: names of columns or members (with dots), or numbers of columns. */
export type GivenFields = Readonly<Partial<Record<FieldName, string>>>;

export interface FormatKind {
  /** The names that `--log-format` takes; the first one is the usual. */
  readonly names: readonly [string, ...string[]];
  /** What its lines are, for docs/scan.md. */
  readonly lines: string;
  /** The format of the log that begins with `lines`; throws an Error that says what they lack. */
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

/** The name that says that no column or member is the field. */
export const noField = "-";

/** So many of the first lines that are not empty are looked at. */
export const sampledLines = 100;
/** A format of one template; `mark` says what a whole line of it has besides a time, a status and a size. */
export function templateKind(
  name: string,
  lines: string,
  template: string,
  mark: (line: string) => boolean = () => true,
): FormatKind {
  const format: LogFormat = { name, escapes: "backslash", template };
  return {
    names: [name],
    lines,
    formatOf: () => format,
    guess: (lines) => (readsMost(format, lines, mark) ? format : undefined),
  };
}

/** Whether `format` reads most lines, with plausible values in them. */
export function readsMost(format: LogFormat, lines: readonly string[], mark: (line: string) => boolean): boolean {
  const read = createReader(format);
  const encoder = new TextEncoder();
  const logLine = createLogLine();
  return mostFit(lines, (line) => {
    const bytes = encoder.encode(line);
    return read(bytes, 0, bytes.length, logLine) === outcome.request && mark(line) && isPlausible(logLine);
  });
}

/** Whether time, status and size are what they should be. A hyphen means a missing value. */
function isPlausible({ source, from, to }: LogLine): boolean {
  const decoder = new TextDecoder();
  const textOf = (index: number): string => decoder.decode(source.subarray(from[index], to[index]));
  return (
    !Number.isNaN(readTime(source, from[field.time]!, to[field.time]!)) &&
    /^(?:\d{3}|-|-1|0)$/.test(textOf(field.status)) &&
    /^(?:\+?\d+|-)$/.test(textOf(field.bytes))
  );
}

/** Whether a text is written as RFC 9110 says of User-Agent: a product with a version, such as `Mozilla/5.0 (…)` or `curl/8.5.0`. */
export function isUserAgent(text: string): boolean {
  return /^[A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*){0,3}\/v?\d(?:\d*\.\d|[^ ]* \()/.test(text);
}
