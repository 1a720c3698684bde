/**
 * Reads times by the patterns of strftime(3), which Apache's `%{…}t` takes: `%d.%m.%Y %H:%M:%S`. English names of months, UTC without a
 * zone.
 */
import { readZone, toDays, toKnownTime, toSeconds } from "./time.ts";

/** The expression of each directive. Names of months and days are English, as servers write them. */
const directives: Readonly<Record<string, string>> = {
  Y: "(?<year>\\d{4})",
  y: "(?<shortYear>\\d\\d)",
  m: "(?<month>\\d\\d)",
  b: "(?<name>[A-Za-z]{3,9})",
  d: "(?<day>\\d\\d)",
  e: "(?<day>[ \\d]\\d)",
  j: "(?<dayOfYear>\\d{3})",
  H: "(?<hour>\\d\\d)",
  k: "(?<hour>[ \\d]\\d)",
  I: "(?<half>\\d\\d)",
  l: "(?<half>[ \\d]\\d)",
  M: "(?<minute>\\d\\d)",
  S: "(?<second>\\d\\d)",
  p: "(?<noon>[AaPp][Mm])",
  z: "(?<zone>[+-]\\d\\d:?\\d\\d|Z)",
  Z: "(?<zone>[A-Za-z]{1,5})",
  s: "(?<epoch>\\d{1,11})",
  a: "[A-Za-z]{3,9}",
  u: "\\d",
  n: "\\n",
  t: "\\t",
  "%": "%",
};

/** Directives that stand for others. */
const shorthands: Readonly<Record<string, string>> = {
  A: "%a",
  B: "%b",
  h: "%b",
  w: "%u",
  P: "%p",
  T: "%H:%M:%S",
  R: "%H:%M",
  F: "%Y-%m-%d",
  D: "%m/%d/%y",
  r: "%I:%M:%S %p",
  c: "%a %b %e %H:%M:%S %Y",
};

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

export interface TimePattern {
  /** Whether it has a date, and a time of the day: a complete time needs both, in one field or two. */
  readonly hasDate: boolean;
  readonly hasClock: boolean;
  /** Whether a text is written by the pattern. */
  isWrittenIn(text: string): boolean;
  /** Seconds since 1970; NaN for a text that the pattern does not write or that is no time. */
  read(text: string): number;
}

/** Parses a pattern. Throws an Error that names a directive which is not known. */
export function parseTimePattern(pattern: string): TimePattern {
  const used = new Set<string>();
  const named = new Set<string>();
  const hasOffset = /%[-_0^#EO]*z/.test(pattern);
  const toSource = (text: string): string =>
    text.replace(/%[-_0^#EO]*(.?)|[^%]+/gs, (found, letter: string | undefined) => {
      if (letter === undefined) return found.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
      const whole = shorthands[letter];
      if (whole !== undefined) return toSource(whole);
      const source = directives[letter];
      if (source === undefined)
        throw new Error(`The time in the log format contains ${JSON.stringify(found)}, which is not supported.`);
      used.add(source);
      const name = /^\(\?<(\w+)>/.exec(source)?.[1];
      // A part that is written twice gets only one named group; of two zones, the name has no meaning.
      const isAgain = name !== undefined && (named.has(name) || (letter === "Z" && hasOffset));
      if (name !== undefined && !isAgain) named.add(name);
      return isAgain ? source.replace(/^\(\?<\w+>/, "(?:") : source;
    });
  // linear: each part has a bounded length
  const expression = new RegExp(`^${toSource(pattern)}$`);
  const has = (...letters: readonly string[]): boolean => letters.some((letter) => used.has(directives[letter]!));
  const isWhole = has("s");
  return {
    hasDate: isWhole || (has("Y", "y") && (has("j") || (has("m", "b") && has("d", "e")))),
    hasClock: isWhole || (has("H", "k", "I", "l") && has("M")),
    isWrittenIn: (text) => expression.test(text),
    read: (text) => toKnownTime(toEpoch(expression.exec(text)?.groups)),
  };
}

function toEpoch(parts: Readonly<Record<string, string | undefined>> | undefined): number {
  if (parts === undefined) return Number.NaN;
  const { epoch, year, shortYear, month, name, day, dayOfYear, second = "0", minute, zone = "" } = parts;
  if (epoch !== undefined) return Number(epoch);
  // POSIX: 69 to 99 are of the 20th century.
  const fullYear = year ?? `${Number(shortYear) < 69 ? 20 : 19}${shortYear}`;
  const monthNumber = name === undefined ? Number(month) : monthNames.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  const days =
    dayOfYear === undefined
      ? toDays(Number(fullYear), monthNumber, Number(day))
      : toDays(Number(fullYear), 1, 1) + Number(dayOfYear) - 1;
  const seconds = toSeconds(toHour(parts), Number(minute), Number(second));
  const zoneBytes = new TextEncoder().encode(zone);
  return days * 86_400 + seconds - readZone(zoneBytes, 0, zoneBytes.length);
}

function toHour({ hour, half, noon }: Readonly<Record<string, string | undefined>>): number {
  if (hour !== undefined) return Number(hour);
  const hours = Number(half);
  if (noon === undefined || hours < 1 || hours > 12) return Number.NaN;
  return (hours % 12) + (noon.toLowerCase() === "pm" ? 12 : 0);
}
