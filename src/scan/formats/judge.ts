/** Judges how a format reads the first lines of a log: with the reader of the scan, by what the fields hold. */
import { cutAtClosingQuote } from "../lines/closing-quote.ts";
import { createLogReader } from "../lines/envelope.ts";
import type { LogFormat } from "../lines/format.ts";
import { createLogLine, type FieldName, field, fieldNames, outcome } from "../lines/line.ts";
import { matchesMostLines } from "../lines/matches-most-lines.ts";
import { isBlankText } from "../lines/value-kind.ts";
import { isPossible, strength, strengthOf } from "./field-values.ts";
import { cutAtDirectives } from "./w3c.ts";

/** The fields that a line has, as they stand in it. */
export type Fields = Readonly<Partial<Record<FieldName, string>>>;

/** A line as a format reads it. */
export interface ReadLine {
  readonly text: string;
  readonly result: (typeof outcome)[keyof typeof outcome];
  readonly fields: Fields;
}

export interface Judgement {
  readonly read: readonly ReadLine[];
  /** Why most lines do not fit the format, with the first such line; undefined if most fit. */
  readonly misfit: string | undefined;
  /** Whether the time or the status is none: without names of fields, other lines fit by chance. */
  readonly isLucky: boolean;
  /** How much the values show that they are of their fields. */
  readonly evidence: number;
  /** Whether the addresses are certainly ones. */
  readonly hasAddress: boolean;
}

export function judge(format: LogFormat, lines: readonly string[]): Judgement {
  const read = readLines(format, lines);
  const reasons = read.map((line) => misfitOf(line, format.template !== undefined));
  const fits = lines.length === 0 || matchesMostLines(reasons, (reason) => reason === undefined);
  const first = reasons.findIndex((reason) => reason !== undefined);
  const strengths = fieldNames.map((name) => strengthOf(name, valuesOf(read, name)));
  return {
    read,
    misfit: fits ? undefined : `${reasons[first]} in ${JSON.stringify(lines[first]!.slice(0, 160))}`,
    isLucky: (["time", "status"] as const).some(
      (name) => valuesOf(read, name).length > 0 && strengths[field[name]]! < strength.likely,
    ),
    evidence: strengths.reduce<number>((sum, value) => sum + Math.max(0, value - strength.possible), 0),
    hasAddress: strengths[field.address] === strength.evident,
  };
}

/** Reads lines as a scan does. */
export function readLines(format: LogFormat, lines: readonly string[]): readonly ReadLine[] {
  const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(""));
  const decoder = new TextDecoder();
  const line = createLogLine();
  const read: ReadLine[] = [];
  for (const part of cutAtDirectives(bytes, bytes.length, format)) {
    const reader = createLogReader(part.format);
    for (let at = part.from; at < part.to; ) {
      const end = bytes.indexOf(lineEnd, at);
      line.from.fill(-1);
      const result = reader(bytes, at, end, line);
      const fields: Partial<Record<FieldName, string>> = {};
      if (result === outcome.request)
        for (const name of fieldNames) {
          const from = line.from[field[name]]!;
          if (from === -1) continue;
          const text = decoder.decode(line.source.subarray(from, line.to[field[name]]));
          fields[name] = format.template !== undefined && text.includes('"') ? cutAtClosingQuote(text) : text;
        }
      read.push({ text: lines[read.length]!, result, fields });
      at = end + 1;
    }
  }
  return read;
}

const lineEnd = 0x0a;

/** The values of the requests that have the field. */
export function valuesOf(read: readonly ReadLine[], name: FieldName): readonly string[] {
  return read.flatMap(({ fields }) => fields[name] ?? []);
}

/** Why a line does not fit; undefined if it does. */
function misfitOf({ result, fields }: ReadLine, isPositional: boolean): string | undefined {
  if (result === outcome.other) return undefined;
  // Two blanks in a row are around nothing.
  if (result === outcome.broken || (isPositional && fields.address === "")) return "the fields do not match";
  for (const name of fieldNames) {
    const text = fields[name];
    if (text !== undefined && !isBlankText(text) && !isPossible(name, text))
      return `the field ${name} is ${JSON.stringify(text.slice(0, 60))}`;
  }
  return undefined;
}
