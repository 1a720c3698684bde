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

/** Where the last requested path begins and ends, and where its query does. */
const span = { start: 0, end: 0, limit: 0 };

/** The requested path without its query: from its own field, or between the method and the version of a request line. */
export function pathAt<Made>(line: LogLine, pathOf: MakeOfBytes<Made>): Made | undefined {
  return findPath(line) ? pathOf(line.source, span.start, span.end) : undefined;
}

/** Empty without an address. */
export function addressAt({ source, from, to }: LogLine, addressOf: MakeOfBytes<string>): string {
  const start = from[field.address]!;
  return start === -1 ? "" : addressOf(source, start, to[field.address]!);
}

/** Sets `span`; false without a path. */
function findPath({ source, from, to }: LogLine): boolean {
  const index = from[field.path] === -1 ? field.request : field.path;
  let start = from[index]!;
  if (start === -1) return false;
  const limit = to[index]!;
  if (index === field.request) {
    while (start < limit && source[start] !== space) start++;
    if (start === limit) return false;
    start++;
  }
  if (source[start] !== slash) start = afterOrigin(source, start, limit);
  let end = start;
  while (end < limit && source[end] !== space && source[end] !== question) end++;
  span.start = start;
  span.end = end;
  span.limit = limit;
  return true;
}

/** Whether the path that pathAt has read last, of this line, has a query. */
export function hasQuery({ source }: LogLine): boolean {
  return span.end < span.limit && source[span.end] === question;
}

/** That path and its query. */
export function targetAt<Made>({ source }: LogLine, targetOf: MakeOfBytes<Made>): Made {
  let end = span.end;
  while (end < span.limit && source[end] !== space) end++;
  return targetOf(source, span.start, end);
}

/** Proxies and load balancers log whole addresses: where the path begins in `https://example.com:443/path`. */
function afterOrigin(source: Uint8Array, start: number, limit: number): number {
  let slashes = 0;
  for (let at = start; at < limit && source[at] !== space && source[at] !== question; at++) {
    if (source[at] === slash && ++slashes === 3) return at;
  }
  return start;
}
