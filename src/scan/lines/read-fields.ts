/** Reads the fields of a line that a scan counts: sizes, statuses, numbers of requests, paths and addresses. */
import type { MakeOfBytes } from "../../cache/byte-cache.ts";
import { field, type LogLine } from "./line.ts";

const hyphen = 0x2d;
const plus = 0x2b;
const space = 0x20;
const question = 0x3f;
const slash = 0x2f;
const dot = 0x2e;
const colon = 0x3a;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

/** Whether a field is empty, or a hyphen, which logs write for an absent value. */
export function isBlank(source: Uint8Array, from: number, to: number): boolean {
  return to === from || (to === from + 1 && source[from] === hyphen);
}

/** The size of an answer; undefined if the line has none. A hyphen means that nothing was sent; HAProxy may write a plus sign. */
export function sizeOf({ source, from, to }: LogLine): number | undefined {
  const start = from[field.bytes]!;
  const end = to[field.bytes]!;
  if (start === -1) return undefined;
  if (source[start] === hyphen && start + 1 === end) return 0;
  return wholeNumber(source, source[start] === plus ? start + 1 : start, end);
}

/** Status codes have three digits. */
export const maxStatus = 999;

/** 0 if the line has none. */
export function statusOf({ source, from, to }: LogLine): number {
  const start = from[field.status]!;
  return start === -1 ? 0 : (wholeNumber(source, start, to[field.status]!) ?? 0);
}

/** The number of requests that a line sums up; NaN if it is not a whole number. */
export function requestsOf({ source, from, to }: LogLine): number {
  const start = from[field.count]!;
  return start === -1 ? 1 : (wholeNumber(source, start, to[field.count]!) ?? Number.NaN);
}

/** Undefined if it is not all digits, or too large to be exact. */
function wholeNumber(source: Uint8Array, from: number, to: number): number | undefined {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = source[at]! - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return from < to && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/**
 * Leaves out the port that some proxies and load balancers add to the address, and the brackets of IPv6: `192.0.2.1:4711`,
 * `[2001:db8::1]:4711`.
 */
export function cutPort({ source, from, to }: LogLine): void {
  const start = from[field.address]!;
  if (start === -1) return;
  let end = to[field.address]! - 1;
  while (end > start && isDigit(source[end]!)) end--;
  if (source[start] === openingBracket) {
    if (source[end] === colon) end--;
    if (source[end] !== closingBracket) return;
    from[field.address] = start + 1;
    to[field.address] = end;
  } else if (end > start && source[end] === colon && isIpv4(source, start, end)) to[field.address] = end;
}

function isIpv4(source: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (source[at] !== dot && !isDigit(source[at]!)) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** The requested path without its query: from its own field, or between the method and the version of a request line. */
export function pathAt<Made>(line: LogLine, pathOf: MakeOfBytes<Made>): Made | undefined {
  const start = startOfPath(line);
  return start === -1 ? undefined : pathOf(line.source, start, endOfPath(line, start));
}

/** Empty without an address. */
export function addressAt({ source, from, to }: LogLine, addressOf: MakeOfBytes<string>): string {
  const start = from[field.address]!;
  return start === -1 ? "" : addressOf(source, start, to[field.address]!);
}

/** The field that has the path. */
function fieldOfPath({ from }: LogLine): number {
  return from[field.path] === -1 ? field.request : field.path;
}

/** -1 without a path. */
function startOfPath(line: LogLine): number {
  const { source, from, to } = line;
  const index = fieldOfPath(line);
  let start = from[index]!;
  if (start === -1) return -1;
  const limit = to[index]!;
  if (index === field.request) {
    while (start < limit && source[start] !== space) start++;
    if (start === limit) return -1;
    start++;
  }
  return source[start] === slash ? start : afterOrigin(source, start, limit);
}

function endOfPath(line: LogLine, start: number): number {
  const { source, from } = line;
  // The second slash of an origin without a path, which afterOrigin returns.
  if (start > from[fieldOfPath(line)]! && source[start - 1] === slash) return start + 1;
  const limit = endOfTarget(line, start);
  let end = start;
  while (end < limit && source[end] !== question) end++;
  return end;
}

/** Where the path and its query end: at the blank before the version in a request line, else with the field. */
function endOfTarget(line: LogLine, start: number): number {
  const index = fieldOfPath(line);
  const limit = line.to[index]!;
  if (index === field.path) return limit;
  let end = start;
  while (end < limit && line.source[end] !== space) end++;
  return end;
}

/** Whether a query follows the path, or is a field of its own. */
export function hasQuery(line: LogLine): boolean {
  const start = startOfPath(line);
  return start !== -1 && (isQuestion(line, endOfPath(line, start)) || hasOwnQuery(line));
}

/** Whether the path ends with a question mark at `end`. */
function isQuestion(line: LogLine, end: number): boolean {
  return end < line.to[fieldOfPath(line)]! && line.source[end] === question;
}

function hasOwnQuery({ source, from, to }: LogLine): boolean {
  const start = from[field.query]!;
  return start !== -1 && !isBlank(source, start, to[field.query]!);
}

/** The requested path with its query. */
export function targetAt<Made>(line: LogLine, targetOf: MakeOfBytes<Made>): Made | undefined {
  const { source, from, to } = line;
  const start = startOfPath(line);
  if (start === -1) return undefined;
  const end = endOfPath(line, start);
  if (isQuestion(line, end)) return targetOf(source, start, endOfTarget(line, start));
  if (!hasOwnQuery(line)) return targetOf(source, start, end);
  const path = source.subarray(start, end);
  const query = from[field.query]!;
  const own = source.subarray(source[query] === question ? query + 1 : query, to[field.query]);
  const target = new Uint8Array(path.length + 1 + own.length);
  target.set(path);
  target[path.length] = question;
  target.set(own, path.length + 1);
  return targetOf(target, 0, target.length);
}

/**
 * Proxies and load balancers log whole addresses: where the path begins in `https://example.com:443/path`. Without a path, it is `/`: the
 * last slash before the host.
 */
function afterOrigin(source: Uint8Array, start: number, limit: number): number {
  let slashes = 0;
  let last = start;
  for (let at = start; at < limit && source[at] !== space && source[at] !== question; at++) {
    if (source[at] !== slash) continue;
    last = at;
    if (++slashes === 3) return at;
  }
  return slashes === 2 && source[last - 1] === slash ? last : start;
}
