/**
 * Reads times as logs write them: `10/Oct/2000:13:55:36 -0700`, ISO 8601 and its variants of databases and loggers, and seconds since
 * 1970. A time with an unknown part is rejected. strftime.ts reads the formats that a configuration states.
 */

const space = 0x20;
const dash = 0x2d;
const dot = 0x2e;
const comma = 0x2c;
const colon = 0x3a;
const slash = 0x2f;
const zero = 0x30;
const plus = 0x2b;

/** Months by their second and third letters, which are enough. */
const months = new Map(
  ["an", "eb", "ar", "pr", "ay", "un", "ul", "ug", "ep", "ct", "ov", "ec"].map((letters, index) => [
    letters.charCodeAt(0) * 256 + letters.charCodeAt(1),
    index + 1,
  ]),
);

/** Times before 1970 and after 2100 are errors. */
const latest = 4_102_444_800;

/** Seconds since 1970, or NaN if the bytes at `from` to before `to` are not a time in these formats. Without a zone it is UTC. */
export function readTime(bytes: Uint8Array, from: number, to: number): number {
  const fifth = bytes[from + 4];
  return toKnownTime(
    bytes[from + 2] === slash
      ? readClfTime(bytes, from, to)
      : to - from >= 10 && (fifth === dash || fifth === slash)
        ? readIsoTime(bytes, from, to)
        : readEpoch(bytes, from, to),
  );
}

/** The seconds if they are between 1970 and 2100, else NaN. */
export function toKnownTime(seconds: number): number {
  return seconds >= 0 && seconds < latest ? Math.floor(seconds) : Number.NaN;
}

function readClfTime(bytes: Uint8Array, from: number, to: number): number {
  if (to - from < 20 || bytes[from + 6] !== slash || bytes[from + 11] !== colon) return Number.NaN;
  const month = months.get(bytes[from + 4]! * 256 + bytes[from + 5]!) ?? 0;
  const days = toDays(four(bytes, from + 7), month, two(bytes, from));
  const zone = afterFraction(bytes, from + 20, to);
  return days * 86_400 + readClock(bytes, from + 12, from + 20) - readZone(bytes, zone, to);
}

/** Any character may separate date and time: `T`, a space, or the tab between two columns. A date alone is its first second. */
function readIsoTime(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[from + 7] !== bytes[from + 4]) return Number.NaN;
  const days = toDays(four(bytes, from), two(bytes, from + 5), two(bytes, from + 8));
  if (to - from === 10) return days * 86_400;
  // Seconds may be missing.
  const end = bytes[from + 16] === colon ? from + 19 : from + 16;
  if (end > to) return Number.NaN;
  const zone = end === from + 19 ? afterFraction(bytes, end, to) : end;
  return days * 86_400 + readClock(bytes, from + 11, end) - readZone(bytes, zone, to);
}

/** Behind a fraction, which begins with a dot, or in logs of Python and Java with a comma. */
function afterFraction(bytes: Uint8Array, from: number, to: number): number {
  if (from >= to || (bytes[from] !== dot && bytes[from] !== comma)) return from;
  let at = from + 1;
  while (at < to && isDigit(bytes[at]!)) at++;
  return at;
}

/** The number of digits of the year 2100 in nanoseconds. */
const maxEpochDigits = 19;

/** Seconds, with or without a fraction; more than eleven digits are milliseconds, microseconds or nanoseconds. */
function readEpoch(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let at = from;
  for (; at < to && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - zero;
  if (at - from < 9 || at - from > maxEpochDigits || afterFraction(bytes, at, to) !== to) return Number.NaN;
  while (value > 99_999_999_999) value /= 1000;
  return value;
}

/** `13:55:36` or `13:55`. */
function readClock(bytes: Uint8Array, at: number, end: number): number {
  const seconds = end - at === 5 ? 0 : bytes[at + 5] === colon ? two(bytes, at + 6) : Number.NaN;
  return bytes[at + 2] === colon ? toSeconds(two(bytes, at), two(bytes, at + 3), seconds) : Number.NaN;
}

/** Seconds of a day; NaN for a clock that does not exist. A leap second is 60. */
export function toSeconds(hours: number, minutes: number, seconds: number): number {
  return hours < 24 && minutes < 60 && seconds <= 60 ? hours * 3600 + minutes * 60 + seconds : Number.NaN;
}

/** `Z`, `UTC`, `GMT`, `+02`, `+0200` or `+02:00`, with or without a space before it, as seconds; 0 for none, NaN for another text. */
export function readZone(bytes: Uint8Array, from: number, to: number): number {
  const at = bytes[from] === space && from < to ? from + 1 : from;
  const length = to - at;
  if (length <= 0) return length === 0 && at === from ? 0 : Number.NaN;
  const sign = bytes[at];
  if (sign !== plus && sign !== dash) return isUtc(bytes, at, length) ? 0 : Number.NaN;
  const hasColon = bytes[at + 3] === colon;
  if (length !== 3 && length !== (hasColon ? 6 : 5)) return Number.NaN;
  const minutes = length === 3 ? 0 : two(bytes, hasColon ? at + 4 : at + 3);
  const seconds = toSeconds(two(bytes, at + 1), minutes, 0);
  return sign === plus ? seconds : -seconds;
}

function isUtc(bytes: Uint8Array, at: number, length: number): boolean {
  if (length > 3) return false;
  const name = String.fromCharCode(...bytes.subarray(at, at + length)).toUpperCase();
  return name === "Z" || name === "UTC" || name === "GMT";
}

/** Days since 1970 of a date of the Gregorian calendar; NaN for a date that does not exist. */
export function toDays(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return Number.NaN;
  if (day > 28 && day > daysOf(year, month)) return Number.NaN;
  // Years start in March, so that the leap day is the last day.
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    shifted * 365 +
    Math.floor(shifted / 4) -
    Math.floor(shifted / 100) +
    Math.floor(shifted / 400) +
    dayOfYear -
    719_468
  );
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function two(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - zero;
  const ones = bytes[at + 1]! - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function four(bytes: Uint8Array, at: number): number {
  return two(bytes, at) * 100 + two(bytes, at + 2);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
