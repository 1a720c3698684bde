/** Lines as a server's format string writes them (format-string.ts): finds where each variable begins and ends. */
import { findClosingQuote } from "./closing-quote.ts";
import { isQuoted, parseFormatString } from "./format-string.ts";
import type { Variable } from "./format-variable.ts";
import { field, type LineReader, type LogLine, outcome } from "./line.ts";
import { parseTimePattern } from "./strftime.ts";
import { readTime } from "./time.ts";
import { createTimeWriter, type TimeWriter } from "./time-writer.ts";

interface Step {
  /** The index of the variable's field; -1 if it is not needed. */
  readonly field: number;
  /** The text before it, and the text that ends it: empty for the last variable of a line, which goes on to the end. */
  readonly before: Uint8Array;
  readonly delimiter: Uint8Array;
  /** Whether it is in quotation marks, where a backslash escapes the next character. */
  readonly quoted: boolean;
  /**
   * Whether a text that may contain the delimiter is whole, with the beginning of what follows it, or undefined where the line is read from
   * the right. Undefined for a variable that ends at the first delimiter.
   */
  readonly isWhole: ((text: string, next: string | undefined) => boolean) | undefined;
  /** Whether it may be several values, with commas between them. */
  readonly isList: boolean;
  /** Whether any text can be its value, so that it ends where the rest of the line begins. */
  readonly isText: boolean;
  /** Which part it is of a time that has a format of its own; -1 for other variables. */
  readonly piece: number;
}

const backslash = 0x5c;
/** The beginning of the common log. Between the address and the time, it has at least as much text as in ` - - [`. */
const ofCommonLog = "%h %l %u %t";
const leastBetween = 6;
const latin1 = new TextDecoder("latin1");

/** How often a value may contain its delimiter. */
const maxInner = 32;

/** Whether the format has a user agent; throws as parseFormatString does. */
export function hasUserAgent(format: string): boolean {
  return parseFormatString(format).variables.some(({ field }) => field === "useragent");
}

/**
 * Reads lines that `format` wrote. Anything after the last text of the format is ignored, unless an unquoted text must be
 * located from the right. A line whose fields do not fit is broken.
 */
export function createTemplateReader(format: string): LineReader {
  const { prefix, steps, timeWriter } = toSteps(format);
  const last = steps.length - 1;
  const text = steps.findIndex(({ isText }, index) => isText && index < last);
  const hasAddress = steps.some((step) => step.field === field.address);
  const isCommonLog = format.includes(ofCommonLog);
  const take = ({ field, piece }: Step, line: LogLine, from: number, to: number): void => {
    if (piece !== -1) timeWriter!.set(piece, from, to);
    if (field === -1) return;
    line.from[field] = from;
    line.to[field] = to;
  };

  /** Reads the steps behind the text from the end of the line, then the text at `at`; false if they do not fit. */
  function readFromRight(bytes: Uint8Array, at: number, to: number, line: LogLine): boolean {
    let end = to - steps[last]!.delimiter.length;
    if (end < at || !startsWith(bytes, end, to, steps[last]!.delimiter)) return false;
    for (let i = last; i > text; i--) {
      const start = findStart(bytes, at, end, steps[i]!);
      if (start === -1) return false;
      take(steps[i]!, line, start, end);
      end = start - steps[i]!.before.length;
    }
    take(steps[text]!, line, at, end);
    return true;
  }

  return (bytes, from, to, line) => {
    if (!startsWith(bytes, from, to, prefix)) return outcome.broken;
    line.source = bytes;
    // The client of the line before was found in its list.
    if (!hasAddress) line.from[field.address] = -1;
    let at = from + prefix.length;
    for (let i = 0; i <= last && i !== text; i++) {
      const step = steps[i]!;
      const end = i === last ? lastEnd(bytes, at, to, step) : findEnd(bytes, at, to, step);
      if (end === -1) return outcome.broken;
      take(step, line, at, end);
      at = end + step.delimiter.length;
    }
    if (text !== -1 && !readFromRight(bytes, at, to, line)) return outcome.broken;
    if (!isStatus(bytes, line.from[field.status]!, line.to[field.status]!)) return outcome.broken;
    const isLong = isCommonLog && line.from[field.time]! - line.to[field.address]! > leastBetween;
    if (isLong && !hasOneUser(bytes, line)) return outcome.broken;
    timeWriter?.write(bytes, from, to, line);
    return outcome.request;
  };
}

/**
 * Makes the address of a line of the common log the whole list, if proxies have appended to it. Returns whether the rest before the time is
 * two words: the name of a user, which is the second one, may have blanks, but a hyphen among its words is the field before another one.
 */
function hasOneUser(bytes: Uint8Array, { from, to }: LogLine): boolean {
  const start = from[field.address]!;
  const text = textOf(bytes, start, from[field.time]! - 2);
  // linear: each repeat ends at a character that the repeat does not match
  const list = /^(?:[^ ]+, )*[^ ]*/.exec(text)![0];
  to[field.address] = start + list.length;
  const [, ...user] = text.slice(list.length).split(" ").filter(Boolean);
  return user.length < 2 || !user.includes("-");
}

/** What a format's lines consist of. */
function toSteps(format: string) {
  const { literals, variables } = parseFormatString(format);
  const encoder = new TextEncoder();
  const pieces = variables.filter(({ pattern }) => pattern !== undefined);
  const steps = variables.map((variable, index): Step => {
    const delimiter = literals[index + 1]!;
    const quoted = isQuoted(literals, index);
    const isFirst = variables.findIndex(({ field }) => field === variable.field) === index;
    return {
      field: variable.field === undefined || !isFirst ? -1 : field[variable.field],
      before: encoder.encode(literals[index]),
      delimiter: encoder.encode(delimiter),
      quoted,
      isWhole: quoted || !/^[ \t,;|]/.test(delimiter) ? undefined : wholeOf(variable),
      isList: variable.shape === "list",
      isText: variable.shape === "text" && !quoted,
      piece: variable.pattern === undefined ? -1 : pieces.indexOf(variable),
    };
  });
  const timeWriter: TimeWriter | undefined =
    pieces.length === 0 ? undefined : createTimeWriter(pieces.map(({ pattern }) => pattern!));
  return { prefix: encoder.encode(literals[0]), steps, timeWriter };
}

/** What tells that the text of a variable is whole, where the text may have blanks; undefined for a word. */
function wholeOf({ shape, pattern }: Variable): Step["isWhole"] {
  if (shape === "list") return (text, next) => !/^: |[,;]$| :$/.test(text) && !next?.startsWith(": ");
  // A request line without a version is HTTP/0.9 or invalid; it is then read as a word, which the following fields confirm.
  if (shape === "request")
    return (text, next) => {
      const hasMethod = /^[A-Z]{3,}(?: |$)/.test(text);
      return / HTTP\/\d(?:\.\d)?$/.test(text) ? hasMethod : !hasMethod && (next !== undefined || text === "-");
    };
  if (shape !== "time") return undefined;
  if (pattern !== undefined) {
    const { isWrittenIn } = parseTimePattern(pattern);
    return (text) => text === "-" || isWrittenIn(text);
  }
  // A zone behind the time belongs to it.
  return (text, next) =>
    text === "-" ||
    (text.includes(":") &&
      !/^[+-]\d/.test(next ?? "") &&
      !Number.isNaN(readTime(new TextEncoder().encode(text), 0, text.length)));
}

/** Whether `bytes[from … to)` begins with a text. */
export function startsWith(bytes: Uint8Array, from: number, to: number, text: Uint8Array): boolean {
  if (to - from < text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text[i]) return false;
  return true;
}

/**
 * Where the last variable ends. The line nearly always ends with its delimiter: skipping the bytes in between saves a third of the time
 * for a combined log. If the server writes more than the format says, decodeField in unescape.ts cuts what is asked for at its closing
 * quotation mark.
 */
function lastEnd(bytes: Uint8Array, at: number, to: number, step: Step): number {
  const { delimiter, quoted } = step;
  const end = to - delimiter.length;
  if ((step.field !== field.forwarded || !quoted) && end >= at && startsWith(bytes, end, to, delimiter)) return end;
  // A line may be cut, without its closing quotation mark.
  return quoted && delimiter.length === 1 ? findClosingQuote(bytes, at, to) : findEnd(bytes, at, to, step);
}

/** Where the variable at `at` ends: at the first delimiter that makes its text complete; -1 if there is none before `to`. */
function findEnd(bytes: Uint8Array, at: number, to: number, { delimiter, quoted, isWhole }: Step): number {
  const first = nextDelimiter(bytes, at, to, delimiter, quoted);
  if (isWhole === undefined) return first;
  let end = first;
  for (let tries = 0; end !== -1 && tries < maxInner; tries++) {
    const behind = end + delimiter.length;
    if (isWhole(textOf(bytes, at, end), textOf(bytes, behind, Math.min(to, behind + 2)))) return end;
    end = nextDelimiter(bytes, behind, to, delimiter, quoted);
  }
  return first;
}

/** Where the variable begins that ends before `end`, and behind `least`: behind the last text that comes before it; -1 if there is none. */
function findStart(bytes: Uint8Array, least: number, end: number, { before, quoted, isList, isWhole }: Step): number {
  const first = lastDelimiter(bytes, least, end, before, quoted);
  if (isWhole === undefined) return first;
  let start = first;
  for (let tries = 0; start !== -1 && tries < maxInner; tries++) {
    const isContinued =
      isList && /[,;]$| :$/.test(textOf(bytes, Math.max(least, start - before.length - 2), start - before.length));
    const text = textOf(bytes, start, end);
    if (!isContinued && isWhole(text, undefined)) return start;
    const further = lastDelimiter(bytes, least, start - before.length, before, quoted);
    // A user agent may also end with a comma or a semicolon, so anything that is not a number ends a list of numbers.
    if (isNumbers(text) && (further === -1 || !isNumbers(textOf(bytes, further, end)))) return start;
    start = further;
  }
  return first;
}

/** Times or statuses of several servers, such as `0.001, 0.002 : -`. */
function isNumbers(text: string): boolean {
  return /^[-\d.,: ]+$/.test(text);
}

/** The bytes as Latin-1, in which each is one character. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  return latin1.decode(bytes.subarray(from, to));
}

/** Where `delimiter` begins, from `at` on; -1 if it does not come before `to`. In quotation marks, a backslash escapes the next byte. */
function nextDelimiter(bytes: Uint8Array, at: number, to: number, delimiter: Uint8Array, quoted: boolean): number {
  const first = delimiter[0]!;
  const isShort = delimiter.length === 1;
  for (let i = at; i < to; i++) {
    const byte = bytes[i];
    if (byte === first && (isShort || startsWith(bytes, i, to, delimiter))) return i;
    if (quoted && byte === backslash) i++;
  }
  return -1;
}

/** Where the last `delimiter` ends that begins from `least` on and ends by `end`; a quotation mark after a backslash does not count. */
function lastDelimiter(bytes: Uint8Array, least: number, end: number, delimiter: Uint8Array, quoted: boolean): number {
  for (let at = end - delimiter.length; at >= least; at--) {
    if (!startsWith(bytes, at, end, delimiter)) continue;
    if (quoted && bytes[at + delimiter.length - 2] === backslash) continue;
    return at + delimiter.length;
  }
  return -1;
}

/** Three digits; a hyphen, 0 or -1 if no response was sent. */
function isStatus(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === -1) return true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if ((byte < 0x30 || byte > 0x39) && !(byte === 0x2d && at === from)) return false;
  }
  return to - from === 3 || to - from === 1 || (to - from === 2 && bytes[from] === 0x2d);
}
