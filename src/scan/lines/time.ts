/** Reads times as logs write them: `10/Oct/2000:13:55:36 -0700`, ISO 8601, and seconds since 1970. */

const dash = 0x2d;
const dot = 0x2e;
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
  const seconds =
    bytes[from + 2] === slash
      ? readClfTime(bytes, from, to)
      : bytes[from + 4] === dash
        ? readIsoTime(bytes, from, to)
        : readEpoch(bytes, from, to);
  return seconds >= 0 && seconds < latest ? seconds : Number.NaN;
}

function readClfTime(bytes: Uint8Array, from: number, to: number): number {
  if (to - from < 20) return Number.NaN;
  const month = months.get(bytes[from + 4]! * 256 + bytes[from + 5]!) ?? 0;
  const days = toDays(four(bytes, from + 7), month, two(bytes, from));
  return days * 86_400 + readClock(bytes, from + 12) - readZone(bytes, from + 20, to);
}

/** Any character may separate date and time: `T`, a space, or the tab between two columns. */
function readIsoTime(bytes: Uint8Array, from: number, to: number): number {
  if (to - from < 10) return Number.NaN;
  const days = toDays(four(bytes, from), two(bytes, from + 5), two(bytes, from + 8));
  if (to - from < 19) return days * 86_400;
  let zone = from + 19;
  if (bytes[zone] === dot) for (zone++; zone < to && isDigit(bytes[zone]!); zone++);
  return days * 86_400 + readClock(bytes, from + 11) - readZone(bytes, zone, to);
}

/** Nanoseconds of the year 2100 have as many. */
const maxEpochDigits = 19;

/** Seconds, with or without a fraction; more than eleven digits are milliseconds, microseconds or nanoseconds. */
function readEpoch(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let at = from;
  for (; at < to && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - zero;
  if (at - from < 9 || at - from > maxEpochDigits || (at < to && bytes[at] !== dot)) return Number.NaN;
  while (value > 99_999_999_999) value /= 1000;
  return Math.floor(value);
}

function readClock(bytes: Uint8Array, at: number): number {
  return two(bytes, at) * 3600 + two(bytes, at + 3) * 60 + two(bytes, at + 6);
}

/** `+0200`, `+02:00`, with or without a space before it; what else there is means UTC. */
function readZone(bytes: Uint8Array, from: number, to: number): number {
  const at = bytes[from] === 0x20 ? from + 1 : from;
  const sign = bytes[at];
  if (at + 5 > to || (sign !== plus && sign !== dash)) return 0;
  const minutes = bytes[at + 3] === 0x3a ? at + 4 : at + 3;
  const seconds = two(bytes, at + 1) * 3600 + two(bytes, minutes) * 60;
  return sign === plus ? seconds : -seconds;
}

/** Days since 1970 of a date of the Gregorian calendar; NaN for a month or day that there is not. */
function toDays(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return Number.NaN;
  // Years that begin in March, so that the odd day is the last one.
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
