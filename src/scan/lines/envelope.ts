/** What log collectors wrap around each line: syslog, Docker, Kubernetes. Finds the line in it. */

import { createReader, type Envelope, type Header, type LogFormat, type Member } from "./format.ts";
import { parseObject, textAt } from "./json-lines.ts";
import { type LineReader, outcome } from "./line.ts";

const isoTime = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:?\\d\\d)";
const syslogTime = `(?:[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d|${isoTime})`;
/** As a character, and as its bytes decoded as Latin-1. */
const byteOrderMark = "(?:\u00ef\u00bb\u00bf|\ufeff)?";

/** The text before the line, if there is no more around it. */
const prefixes = {
  // RFC 3164, also as rsyslog stores it: priority, time, host (nginx can omit it), program; RFC 5424: priority, version, time,
  // host, program, process, kind of message, structured data. No program has a quotation mark, but the members of an object do.
  // linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
  syslog: new RegExp(
    `^(?:<\\d{1,3}>)?(?:${syslogTime} (?:[^ ]+ )?[^ :"]+: |1 (?:-|${isoTime}) (?:[^ ]+ ){4}(?:-|(?:\\[(?:[^"\\]]|"(?:[^"\\\\]|\\\\.)*")*\\])+) ${byteOrderMark})`,
  ),
  // The Container Runtime Interface: time, stream, and whether the line is whole.
  // linear: each repeat ends at a character that the repeat does not match; too large for recheck's automaton
  kubernetes: new RegExp(`^${isoTime} (?:stdout|stderr) [FP] `),
} as const;

/** The kinds of headers. */
export const headers: readonly (keyof typeof prefixes)[] = ["syslog", "kubernetes"];

/** For messages: where the lines are. */
export function toEnvelopeText(envelope: Envelope): string {
  if (envelope === "syslog") return "after a syslog header";
  if (envelope === "kubernetes") return "after a Kubernetes header";
  if (isMember(envelope)) return "in a member of JSON objects";
  const { after, count } = envelope;
  const what = after === ":" ? "colon" : "word";
  return `behind ${count} ${what}${count === 1 ? "" : "s"}`;
}

/** The expression of the text before the line. */
function prefixOf(envelope: Header): RegExp {
  if (typeof envelope === "string") return prefixes[envelope];
  const { after, count } = envelope;
  // linear: each repeat ends at a character that the repeat does not match
  return new RegExp(`^[ \\t]*(?:${after === ":" ? "[^:]*:" : "[^ \\t]+[ \\t]+"}){${count}}`);
}

/** The line in an envelope; undefined if the text is not such an envelope. */
export function unwrapLine(envelope: Envelope, text: string): string | undefined {
  if (!isMember(envelope)) {
    const header = prefixOf(envelope).exec(text);
    return header === null ? undefined : text.slice(header[0].length);
  }
  return textAt(parseObject(text), envelope.member)?.replace(/\r?\n$/, "");
}

/** Whether the line is in a member of objects. */
export function isMember(envelope: Envelope | undefined): envelope is Member {
  return typeof envelope === "object" && "member" in envelope;
}

/** No header is longer. */
const maxHeaderBytes = 1024;
/** Room for the longest line, if each of its bytes becomes U+FFFD. */
const scratchBytes = 2 * 1024 * 1024;

/** Reads the lines of a format, in its envelopes. */
export function createLogReader({ envelopes = [], ...format }: LogFormat): LineReader {
  return envelopes.reduceRight<LineReader>(
    (read, envelope) =>
      isMember(envelope) ? createMemberReader(read, envelope) : createHeaderReader(read, prefixOf(envelope)),
    createReader(format),
  );
}

function createHeaderReader(read: LineReader, prefix: RegExp): LineReader {
  const decoder = new TextDecoder("latin1");
  return (bytes, from, to, line) => {
    const header = prefix.exec(decoder.decode(bytes.subarray(from, Math.min(to, from + maxHeaderBytes))));
    if (header === null) return outcome.broken;
    const start = from + header[0].length;
    return start === to ? outcome.other : read(bytes, start, to, line);
  };
}

function createMemberReader(read: LineReader, envelope: Member): LineReader {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(scratchBytes);
  return (bytes, from, to, line) => {
    const text = unwrapLine(envelope, decoder.decode(bytes.subarray(from, to)));
    if (text === undefined) return outcome.broken;
    const { written } = encoder.encodeInto(text, scratch);
    return written === 0 ? outcome.other : read(scratch, 0, written, line);
  };
}
