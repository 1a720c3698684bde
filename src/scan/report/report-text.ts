/** Numbers, shares and names of a report as people read them. */
import { robotsTxtPath } from "../count/path-counts.ts";

const whole = new Intl.NumberFormat("en");
const units = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

export function toCount(value: number): string {
  return whole.format(value);
}

/** `1 request`, `1,234 requests`. */
export function toRequests(count: number): string {
  return `${toCount(count)} ${count === 1 ? "request" : "requests"}`;
}

/** How many names a list has. */
const shownNames = 3;

/** `A 12, B 3, C 1, 4 more`. */
export function toList(named: readonly string[]): string {
  const more = named.length > shownNames ? [`${toCount(named.length - shownNames)} more`] : [];
  return [...named.slice(0, shownNames), ...more].join(", ");
}

/** Whether the count of a path is exact. The count of /robots.txt always is. */
export function isExactPath(path: string, pathsExact: boolean): boolean {
  return pathsExact || path === robotsTxtPath;
}

/** A count that is wrong by a tenth at most if it is not exact. */
export function toEstimate(value: number, isExact: boolean): string {
  return isExact ? toCount(value) : `about ${toCount(value)}`;
}

/** How many crawlers; `4,001+` if one of them stands for all for which there was no room. */
export function toCrawlerCount(crawlers: number, isOpen: boolean): string {
  return toCount(crawlers) + (isOpen ? "+" : "");
}

/** Of three digits, in units of 1000 bytes. */
export function toSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toPrecision(value >= 9.95 ? 3 : 2)} ${units[unit]}`;
}

/** A part as a percentage of the whole; a small part is not shown as 0. */
export function toShare(part: number, all: number): string {
  if (all === 0 || part === 0) return "0%";
  const share = (100 * part) / all;
  return share < 0.1 ? "< 0.1%" : `${share.toFixed(1)}%`;
}

/** ISO 8601 of a time in seconds since 1970. */
export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

/** `2026-03-02 10:15` of an ISO time; empty if there is none. */
export function toMinute(iso = ""): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** ISO times. */
export interface Span {
  readonly first?: string | undefined;
  readonly last?: string | undefined;
}

/** `on 2026-03-02`, `2026-03-02 to 2026-03-08`: the days of all; `in a log without times`. */
export function toPeriodOf(...all: readonly Span[]): string {
  const days = all
    .flatMap(({ first, last }) => [first, last].flatMap((time) => (time === undefined ? [] : time.slice(0, 10))))
    .sort();
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined) return "in a log without times";
  return from === to ? `on ${from}` : `${from} to ${to}`;
}

/** `on 2026-03-02 between 14:00 and 15:00 UTC`, for the ISO time at which an hour begins on the clocks of a zone. */
export function toHour(iso: string, timezone: string): string {
  const hour = Number(iso.slice(11, 13));
  return `on ${iso.slice(0, 10)} between ${hour}:00 and ${hour + 1}:00 ${timezone}`;
}
