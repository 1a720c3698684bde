/** Lines of columns: CSV, TSV, and the W3C's extended logs (IIS, CloudFront). The caller determines which column has which field. */
import { type FieldName, field, type LineReader, outcome } from "./line.ts";
import { startsWith } from "./template.ts";
import { createTimeAppender } from "./time-writer.ts";

export interface Columns {
  readonly separator: string;
  /** The field of each column; null for unused columns. Date and time may be two adjacent columns of one field. */
  readonly columns: readonly (FieldName | null)[];
  /** The number of the column with the date, if the time column contains only the time of day. */
  readonly date?: number;
  /** Whether the values of each column are in quotation marks. Absent in CSV and TSV, where any value may be. */
  readonly quoted?: readonly boolean[];
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
const backslash = 0x5c;
const letterN = 0x4e;

/** Reads lines of columns; where nothing else is said, a value may be in quotation marks (RFC 4180). */
export function createColumnsReader({ separator, columns, date = -1, header, quoted }: Columns): LineReader {
  const separatorByte = separator.charCodeAt(0);
  const fields = Int32Array.from(columns, (name) => (name === null ? -1 : field[name]));
  const needed =
    Math.max(
      date,
      fields.findLastIndex((index) => index !== -1),
    ) + 1;
  const appendTime = date === -1 ? undefined : createTimeAppender();
  const headerBytes = header === undefined ? undefined : new TextEncoder().encode(header);
  // Clients can put a quotation mark at the beginning of what they send, and programs that write tabs do not escape it.
  const isStrict = separatorByte === comma || separatorByte === semicolon || separatorByte === bar;
  return (bytes, from, to, line) => {
    if (bytes[from] === hash && headerBytes === undefined) return outcome.other;
    if (headerBytes?.length === to - from && startsWith(bytes, from, to, headerBytes)) return outcome.other;
    line.source = bytes;
    line.from.fill(-1);
    let at = from;
    let [dateFrom, dateTo] = [0, 0];
    for (let column = 0; column < needed; column++) {
      if (at > to) return outcome.broken;
      const opening = quoted === undefined ? skipBlanks(bytes, at, to, separatorByte) : at;
      let isQuoted = opening < to && bytes[opening] === quote && (quoted?.[column] ?? true);
      let start = isQuoted ? opening + 1 : at;
      let end = isQuoted ? findQuote(bytes, start, to) : -1;
      let next = isQuoted && end !== -1 ? skipBlanks(bytes, end + 1, to, separatorByte) : -1;
      if (isQuoted && (next === -1 || (next < to && bytes[next] !== separatorByte))) {
        if (isStrict) return outcome.broken;
        isQuoted = false;
        start = at;
      }
      if (!isQuoted) {
        end = start;
        while (end < to && bytes[end] !== separatorByte) end++;
        next = end;
      }
      const index = fields[column]!;
      if (column === date) [dateFrom, dateTo] = [start, end];
      if (index !== -1 && (isQuoted || !isNull(bytes, start, end))) {
        if (line.from[index] === -1) line.from[index] = start;
        line.to[index] = end;
      }
      at = next + 1;
    }
    if (appendTime !== undefined && line.from[field.time] !== -1) {
      const day = latin1.decode(bytes.subarray(dateFrom, dateTo));
      const clock = latin1.decode(bytes.subarray(line.from[field.time], line.to[field.time]));
      appendTime(bytes, from, to, line, `${day} ${clock}`);
    }
    return outcome.request;
  };
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
