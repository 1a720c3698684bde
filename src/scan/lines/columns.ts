/** Lines of columns: CSV, TSV, and the W3C's extended logs (IIS, CloudFront). The caller determines which column has which field. */
import { type FieldName, field, type LineReader, outcome } from "./line.ts";
import { startsWith } from "./template.ts";
import { createTimeAppender } from "./time-writer.ts";

export interface ColumnShape {
  readonly separator: string;
  /** Whether the values of each column are in quotation marks. Absent in CSV and TSV, where any value may be. */
  readonly quoted?: readonly boolean[];
}

export interface Columns extends ColumnShape {
  /** The field of each column; null for unused columns. Date and time may be two adjacent columns of one field. */
  readonly columns: readonly (FieldName | null)[];
  /** The number of the column with the date, if the time column contains only the time of day. */
  readonly date?: number;
  /** The line that names the columns; it is never a request. */
  readonly header?: string;
}

const latin1 = new TextDecoder("latin1");
const quote = 0x22;
const space = 0x20;
const tab = 0x09;
const comma = 0x2c;
const semicolon = 0x3b;
const bar = 0x7c;
const hash = 0x23;
const openingBracket = 0x28;
const closingBracket = 0x29;
const backslash = 0x5c;
const letterN = 0x4e;

/** Finds the values of a line one after the other. Reading and detection find them with it alone. */
class ColumnCursor {
  /** The last value is in `bytes[from … to)`; `next` is where the next one begins, behind the line if there is none. */
  from = 0;
  to = 0;
  next = 0;
  isQuoted = false;
  readonly #separator: number;
  readonly #quoted: readonly boolean[] | undefined;
  /** Clients can put a quotation mark at the beginning of what they send, and programs that write tabs do not escape it. */
  readonly #isStrict: boolean;

  constructor({ separator, quoted }: ColumnShape) {
    this.#separator = separator.charCodeAt(0);
    this.#quoted = quoted;
    this.#isStrict = this.#separator === comma || this.#separator === semicolon || this.#separator === bar;
  }

  /** Finds the value of a column at `at`; false if its quotation marks do not match. */
  read(bytes: Uint8Array, at: number, end: number, column: number): boolean {
    const separator = this.#separator;
    const opening = this.#quoted === undefined ? skipBlanks(bytes, at, end, separator) : at;
    if (opening < end && bytes[opening] === quote && (this.#quoted?.[column] ?? true)) {
      const closing = findQuote(bytes, opening + 1, end);
      const behind = closing === -1 ? -1 : skipBlanks(bytes, closing + 1, end, separator);
      if (behind === end || (behind !== -1 && bytes[behind] === separator)) {
        this.from = opening + 1;
        this.to = closing;
        this.next = behind + 1;
        this.isQuoted = true;
        return true;
      }
      if (this.#isStrict) return false;
    }
    let to = at;
    while (to < end && bytes[to] !== separator) to++;
    this.from = at;
    this.to = to;
    this.next = to + 1;
    this.isQuoted = false;
    return true;
  }

  /** Extends an unquoted value over the separators in its brackets, unless a bracket has no end. */
  extend(bytes: Uint8Array, end: number): void {
    if (this.isQuoted || !this.#isStrict) return;
    let depth = 0;
    let to = this.from;
    for (; to < end && (depth > 0 || bytes[to] !== this.#separator); to++) {
      if (bytes[to] === openingBracket) depth++;
      else if (bytes[to] === closingBracket) depth--;
    }
    if (depth > 0) return;
    this.to = to;
    this.next = to + 1;
  }
}

/** Reads lines of columns; where nothing else is said, a value may be in quotation marks (RFC 4180). */
export function createColumnsReader({ columns, date = -1, header, ...shape }: Columns): LineReader {
  const fields = Int32Array.from(columns, (name) => (name === null ? -1 : field[name]));
  const needed =
    Math.max(
      date,
      fields.findLastIndex((index) => index !== -1),
    ) + 1;
  const appendTime = date === -1 ? undefined : createTimeAppender();
  const headerBytes = header === undefined ? undefined : new TextEncoder().encode(header);
  const cursor = new ColumnCursor(shape);
  const agent = columns.indexOf("useragent");

  /** Whether a row has more values than the header has names: a separator in a value was not in quotation marks. */
  function hasMoreColumns(bytes: Uint8Array, start: number, to: number): boolean {
    let at = start;
    for (let column = needed; at <= to && cursor.read(bytes, at, to, column); column++) {
      if (column >= columns.length && cursor.to > cursor.from) return true;
      at = cursor.next;
    }
    return false;
  }

  return (bytes, from, to, line) => {
    if (bytes[from] === hash && headerBytes === undefined) return outcome.other;
    if (headerBytes !== undefined && isSeparatorLine(bytes, from, to)) return outcome.other;
    if (headerBytes?.length === to - from && startsWith(bytes, from, to, headerBytes)) return outcome.other;
    line.source = bytes;
    line.from.fill(-1);
    let at = from;
    let [dateFrom, dateTo] = [0, 0];
    for (let column = 0; column < needed; column++) {
      if (at > to || !cursor.read(bytes, at, to, column)) return outcome.broken;
      if (column === agent) cursor.extend(bytes, to);
      const index = fields[column]!;
      if (column === date) [dateFrom, dateTo] = [cursor.from, cursor.to];
      if (index !== -1 && (cursor.isQuoted || !isNull(bytes, cursor.from, cursor.to))) {
        if (line.from[index] === -1) line.from[index] = cursor.from;
        line.to[index] = cursor.to;
      }
      at = cursor.next;
    }
    if (headerBytes !== undefined && hasMoreColumns(bytes, at, to)) return outcome.broken;
    if (appendTime !== undefined && line.from[field.time] !== -1) {
      const day = latin1.decode(bytes.subarray(dateFrom, dateTo));
      const clock = latin1.decode(bytes.subarray(line.from[field.time], line.to[field.time]));
      appendTime(bytes, from, to, line, `${day} ${clock}`);
    }
    return outcome.request;
  };
}

export interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** All values of a line, empty if one does not end. Separators in brackets belong to the value at `agent`; without it, to any value. */
export function cellsOf(text: string, shape: ColumnShape, agent?: number): readonly Cell[] {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const cursor = new ColumnCursor(shape);
  const cells: Cell[] = [];
  for (let at = 0; at <= bytes.length; at = cursor.next) {
    if (!cursor.read(bytes, at, bytes.length, cells.length)) return [];
    if (agent === undefined || cells.length === agent) cursor.extend(bytes, bytes.length);
    cells.push({ text: decoder.decode(bytes.subarray(cursor.from, cursor.to)), isQuoted: cursor.isQuoted });
  }
  return cells;
}

/** Their texts, without blanks around them. */
export function columnsOf(text: string, separator: string, agent?: number): readonly string[] {
  return cellsOf(text, { separator }, agent).map(({ text }) => text.trim());
}

/** What spreadsheets write before the header, such as `sep=;`. */
export const separatorLine = /^sep=(.)$/;
const separatorStart = new TextEncoder().encode("sep=");

function isSeparatorLine(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === separatorStart.length + 1 && startsWith(bytes, from, to, separatorStart);
}

/** Behind the spaces and tabs at `at`, unless they separate the columns. */
function skipBlanks(bytes: Uint8Array, at: number, to: number, separator: number): number {
  let end = at;
  while (end < to && (bytes[end] === space || bytes[end] === tab) && bytes[end] !== separator) end++;
  return end;
}

/** `\N` is NULL in the exports of PostgreSQL, ClickHouse, MySQL and Hive: the field is missing. */
function isNull(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === 2 && bytes[from] === backslash && bytes[from + 1] === letterN;
}

/** Whether the last value of a line has no closing quotation mark, so that it continues on the next line. */
export function isOpen(line: Uint8Array, separator: string): boolean {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === quote) at = findQuote(line, at + 1, line.length);
    if (at === -1) return true;
    while (at < line.length && line[at] !== separator.charCodeAt(0)) at++;
  }
  return false;
}

/** The position of the quotation mark that ends a value; two in a row stand for one in the value. */
function findQuote(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    if (bytes[i] !== quote) continue;
    if (bytes[i + 1] !== quote || i + 1 >= to) return i;
    i++;
  }
  return -1;
}
