/** Lines that are passed through: as they are, or with the verdict on them. */
import type { Verdict } from "../../detect/verdict.ts";
import { type CsvCell, toCsvRow } from "../../text/csv.ts";
import { toPlain, toPlainJson } from "../../text/plain-text.ts";
import { type Columns, isOpen } from "../lines/columns.ts";
import { isMember } from "../lines/envelope.ts";
import type { LogFormat } from "../lines/format.ts";

/** Collects bytes; grows as it must. */
export interface Output {
  write(bytes: Uint8Array, from: number, to: number): void;
  length(): number;
  /** The written bytes, as a copy. */
  bytes(): Uint8Array;
}

/** For this few bytes, a call takes longer than a loop. */
const short = 16;

export function createOutput(expectedBytes: number): Output {
  let buffer = new Uint8Array(Math.max(expectedBytes, 1024));
  let length = 0;
  return {
    write(bytes, from, to) {
      if (length + to - from > buffer.length) {
        const larger = new Uint8Array(2 * (length + to - from));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      if (to - from <= short) for (let at = from; at < to; at++) buffer[length++] = bytes[at]!;
      else {
        buffer.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), length);
        length += to - from;
      }
    },
    length: () => length,
    bytes: () => buffer.subarray(0, length),
  };
}

const encoder = new TextEncoder();
const closingBrace = 0x7d;
const openingBrace = 0x7b;
const tab = 0x09;
const space = 0x20;
const escapedTab = encoder.encode("\\x09");

/** A line of a block: where its text begins and ends, and where the next line begins. */
export interface PassedLine {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

/** The verdict in a line: all but the user agent, which the line contains. */
type Facts = Partial<Omit<Verdict, "useragent">>;

/** How lines of a format get their verdict. */
export interface Annotation {
  /** Whether its lines are JSON objects, which get a member; other lines get a column. */
  readonly isJson: boolean;
  /** Whether tabs separate the columns of its lines. */
  readonly hasTabs: boolean;
  /** Of CSV and TSV, whose lines get the columns `added`. */
  readonly csv?: Columns | undefined;
  readonly added: typeof verdictColumns;
}

const verdictColumns: readonly (readonly [name: string, of: (facts: Facts) => CsvCell])[] = [
  ["crawler", ({ crawler }) => crawler],
  ["name", ({ name = "" }) => toPlain(name)],
  ["operator", ({ operator = "" }) => toPlain(operator)],
  ["category", ({ category }) => category],
  ["purposes", ({ purposes }) => purposes?.join(" ")],
];
const verificationColumn: (typeof verdictColumns)[number] = [
  "verification",
  ({ verification }) => verification?.status,
];

/** `isVerified`: whether verdicts have the verification. */
export function annotationOf({ json, columns, envelopes = [], escapes }: LogFormat, isVerified: boolean): Annotation {
  return {
    isJson: envelopes.length === 0 ? json !== undefined : isMember(envelopes[0]),
    hasTabs: columns?.separator === "\t",
    csv: escapes === "quotes" && envelopes.length === 0 ? columns : undefined,
    added: isVerified ? [...verdictColumns, verificationColumn] : verdictColumns,
  };
}

export function toFacts(verdict: Verdict | undefined): Facts {
  const { useragent: _, ...facts } = verdict ?? { useragent: "", crawler: false };
  return facts;
}

/**
 * Writes a line with its verdict: a JSON object gets the member `verdict`, a line of CSV or TSV gets columns, every other line a tab and
 * the verdict as JSON, `null` if it is not a request. Tabs in the line are written as `\x09`, so that no client can forge a verdict, unless
 * they separate its columns.
 */
export function annotate(output: Output, annotation: Annotation, line: PassedLine, facts: Facts | undefined): void {
  const { isJson, hasTabs, csv } = annotation;
  const { bytes, from, to, next } = line;
  const json = toPlainJson(facts ?? null);
  let start = from;
  let end = to;
  if (isJson) while (end > from && bytes[end - 1]! <= space) end--;
  if (isJson) while (start < end && bytes[start]! <= space) start++;
  if (isJson && bytes[start] === openingBrace && bytes[end - 1] === closingBrace) {
    const isEmpty = bytes.subarray(start + 1, end - 1).every((byte) => byte <= space);
    const addition = encoder.encode(`${isEmpty ? "" : ","}"verdict":${json}}`);
    output.write(bytes, from, end - 1);
    output.write(addition, 0, addition.length);
  } else {
    const addition = encoder.encode(
      csv ? toColumns(csv, annotation.added, bytes.subarray(from, to), facts) : `\t${json}`,
    );
    if (hasTabs || csv !== undefined) output.write(bytes, from, to);
    else writeWithoutTabs(output, bytes, from, to);
    output.write(addition, 0, addition.length);
  }
  output.write(bytes, to, next);
}

/** The columns of a request or of the header; empty for other lines, and if the last value continues on the next line. */
function toColumns(
  { separator, header }: Columns,
  added: Annotation["added"],
  line: Uint8Array,
  facts: Facts | undefined,
): string {
  const isHeader = facts === undefined && new TextDecoder().decode(line) === header;
  if ((facts === undefined && !isHeader) || isOpen(line, separator)) return "";
  const cells = added.map(([name, of]) => (facts === undefined ? name : of(facts)));
  return separator + toCsvRow(cells, separator);
}

function writeWithoutTabs(output: Output, bytes: Uint8Array, from: number, to: number): void {
  const line = bytes.subarray(from, to);
  let start = 0;
  for (let at = line.indexOf(tab); at !== -1; at = line.indexOf(tab, start)) {
    output.write(line, start, at);
    output.write(escapedTab, 0, escapedTab.length);
    start = at + 1;
  }
  output.write(line, start, line.length);
}
