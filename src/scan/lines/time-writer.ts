/**
 * Handles times in custom formats and times in two fields: writes them as seconds after a copy of the line, in a form that time readers
 * understand.
 */
import { field, type LogLine } from "./line.ts";
import { parseTimePattern } from "./strftime.ts";

/** Lines are no longer, and a number behind them fits. */
const scratchBytes = 600 * 1024;

/** A text that readTime rejects. */
const unreadable = "?";

/** Collects the pieces of a line's time, and writes it. */
export interface TimeWriter {
  /** Says where a piece of the time is: `bytes[from … to)` of the line. */
  set(piece: number, from: number, to: number): void;
  /** Makes `line`, whose fields are in `bytes[from … to)`, one with its time in seconds. */
  write(bytes: Uint8Array, from: number, to: number, line: LogLine): void;
}

/**
 * Makes the writer of a time that has a pattern for each of its pieces, in the order of the line. Pieces behind the first that make up
 * neither a date nor a time of the day are ignored. Throws an Error if there is no date and time of the day.
 */
export function createTimeWriter(patterns: readonly string[]): TimeWriter {
  const used = piecesOf(patterns);
  // The pieces are separated by a character that no line contains.
  const pattern = parseTimePattern(used.join("\n"));
  const decoder = new TextDecoder("latin1");
  const append = createTimeAppender();
  const starts = new Int32Array(patterns.length);
  const ends = new Int32Array(patterns.length);
  return {
    set(piece, from, to) {
      starts[piece] = from;
      ends[piece] = to;
    },
    write(bytes, from, to, line) {
      const texts = used.map((_, index) => decoder.decode(bytes.subarray(starts[index], ends[index])));
      const seconds = pattern.read(texts.join("\n"));
      const isAbsent = texts.every((text) => text === "-");
      append(bytes, from, to, line, isAbsent ? "-" : Number.isNaN(seconds) ? unreadable : String(seconds));
    },
  };
}

/** Makes the function that gives `line`, whose fields are in `bytes[from … to)`, another text as its time. */
export function createTimeAppender() {
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(scratchBytes);
  return (bytes: Uint8Array, from: number, to: number, line: LogLine, text: string): void => {
    scratch.set(bytes.subarray(from, to));
    for (let index = 0; index < line.from.length; index++) {
      if (line.from[index] === -1) continue;
      line.from[index]! -= from;
      line.to[index]! -= from;
    }
    line.source = scratch;
    line.from[field.time] = to - from;
    line.to[field.time] = to - from + encoder.encodeInto(text, scratch.subarray(to - from)).written;
  };
}

/** The first patterns that together have a date and a time of the day. */
function piecesOf(patterns: readonly string[]): readonly string[] {
  for (let count = 1; count <= patterns.length; count++) {
    const used = patterns.slice(0, count);
    const { hasDate, hasClock } = parseTimePattern(used.join("\n"));
    if (hasDate && hasClock) return used;
  }
  throw new Error(
    `The time in the log format, ${patterns.map((pattern) => `%{${pattern}}t`).join(" ")}, lacks a date or a time of day.`,
  );
}
