/** What log collectors wrap around each line: syslog, Docker, Kubernetes. Finds the line in it. */

import { createReader, type EnvelopeName, type LogFormat } from "./format.ts";
import { textAt } from "./json-lines.ts";
import { type LineReader, outcome } from "./line.ts";
import { matchesMostLines } from "./matches-most-lines.ts";

const isoTime = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)";
const syslogTime = `(?:[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d|${isoTime})`;
/** As a character, and as its bytes decoded as Latin-1. */
const byteOrderMark = "(?:\u00ef\u00bb\u00bf|\ufeff)?";

/** The text before the line, if there is no more around it. */
const prefixes = {
  // RFC 3164, also as rsyslog stores it: priority, time, host (nginx can omit it), program; RFC 5424: priority, version, time,
  // host, program, process, kind of message, structured data.
  // linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
  syslog: new RegExp(
    `^(?:<\\d{1,3}>)?(?:${syslogTime} (?:[^ ]+ )?[^ :]+: |1 (?:-|${isoTime}) (?:[^ ]+ ){4}(?:-|(?:\\[(?:[^"\\]]|"(?:[^"\\\\]|\\\\.)*")*\\])+) ${byteOrderMark})`,
  ),
  // The Container Runtime Interface: time, stream, and whether the line is whole.
  // linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
  kubernetes: new RegExp(`^${isoTime} (?:stdout|stderr) [FP] `),
} as const;

/** For messages: what surrounds the lines. */
export const envelopeTitles: Readonly<Record<EnvelopeName, string>> = {
  syslog: "after a syslog header",
  kubernetes: "after a Kubernetes header",
  json: "in a member of JSON objects",
};

/** The lines without the header that most of them have, and the envelope. */
export function unwrapLines(lines: readonly string[]): {
  readonly envelope?: "syslog" | "kubernetes";
  readonly lines: readonly string[];
} {
  for (const envelope of ["syslog", "kubernetes"] as const) {
    const unwrapped = lines.map((line) => withoutHeader(envelope, line));
    if (!matchesMostLines(unwrapped, (line) => line !== undefined)) continue;
    return { envelope, lines: unwrapped.filter((line) => line !== undefined && line.trim() !== "") as string[] };
  }
  return { lines };
}

function withoutHeader(envelope: keyof typeof prefixes, line: string): string | undefined {
  const prefix = prefixes[envelope].exec(line);
  return prefix === null ? undefined : line.slice(prefix[0].length);
}

/** The line in a member of an object; undefined if the text is no such object. */
export function lineInMember(text: string, member: readonly string[]): string | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return textAt(JSON.parse(text), member)?.replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}

/** No header is longer. */
const maxHeaderBytes = 1024;
/** Room for the longest line, if each of its bytes becomes U+FFFD. */
const scratchBytes = 2 * 1024 * 1024;

/** Reads the lines of a format, in its envelope. */
export function createLogReader(format: LogFormat): LineReader {
  const read = createReader(format);
  const { envelope, member = [] } = format;
  if (envelope === undefined) return read;
  if (envelope === "json") return createMemberReader(read, member);
  const prefix = prefixes[envelope];
  const decoder = new TextDecoder("latin1");
  return (bytes, from, to, line) => {
    const header = prefix.exec(decoder.decode(bytes.subarray(from, Math.min(to, from + maxHeaderBytes))));
    if (header === null) return outcome.broken;
    const start = from + header[0].length;
    return start === to ? outcome.other : read(bytes, start, to, line);
  };
}

function createMemberReader(read: LineReader, member: readonly string[]): LineReader {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(scratchBytes);
  return (bytes, from, to, line) => {
    const text = lineInMember(decoder.decode(bytes.subarray(from, to)), member);
    if (text === undefined) return outcome.broken;
    const { written } = encoder.encodeInto(text, scratch);
    return written === 0 ? outcome.other : read(scratch, 0, written, line);
  };
}
