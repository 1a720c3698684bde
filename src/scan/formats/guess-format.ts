/** Tells which format a log has: from its first lines, or from a name or a server's format string. */
import { createLogReader, unwrapLines } from "../lines/envelope.ts";
import type { LogFormat } from "../lines/format.ts";
import { createLogLine, field, outcome } from "../lines/line.ts";
import { decodeField } from "../lines/unescape.ts";
import { findFormatKind, formatKinds } from "./all-formats.ts";
import { type GivenFields, sampledLines } from "./format-kind.ts";

export type { GivenFields };

/**
 * The format that the first lines of a log fit as a whole; undefined if none does. Throws an Error for given fields that the
 * lines do not have.
 */
export function guessFormat(lines: readonly string[], given: GivenFields = {}): LogFormat | undefined {
  const { envelope, lines: inner } = unwrapLines(sampleOf(lines));
  const kinds = Object.keys(given).length === 0 ? formatKinds : formatKinds.filter(({ hasNames }) => hasNames);
  for (const kind of kinds) {
    const format = kind.guess(inner, given);
    if (format !== undefined) return { ...format, ...(envelope !== undefined && { envelope }) };
  }
  return undefined;
}

/** The format of a name, or of a format string of nginx or Apache. Throws an Error if the lines lack what it needs. */
export function formatOfName(name: string, lines: readonly string[], given: GivenFields = {}): LogFormat {
  const { envelope, lines: inner } = unwrapLines(sampleOf(lines));
  const kind = findFormatKind(name);
  const format: LogFormat = kind?.formatOf(inner, given) ?? { name: "given", escapes: "backslash", template: name };
  return { ...format, ...(envelope !== undefined && { envelope }) };
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

/** The first lines that say something, without carriage returns. */
export function sampleOf(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    .filter((line) => line.trim() !== "")
    .slice(0, sampledLines);
}
