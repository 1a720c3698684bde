/** Times as the clocks of a time zone show them: seconds since 1970, as if they were UTC. */

/** The time of the zone's clocks for a time in seconds since 1970; NaN stays NaN. */
export type ToLocal = (at: number) => number;

/** No zone has changed its clocks within a quarter of an hour. */
const quarter = 900;

const formats = new Map<string, Intl.DateTimeFormat>();

function dateFormatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const numeric = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const clock = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  const format = new Intl.DateTimeFormat("en", { timeZone: timezone, ...numeric, ...clock });
  formats.set(timezone, format);
  return format;
}

/** Makes the function for a zone by its IANA name. Throws a RangeError for an unknown zone. */
export function createToLocal(timezone: string): ToLocal {
  if (timezone === "UTC") return (at) => at;
  const format = dateFormatOf(timezone);
  let last = Number.NaN;
  let offset = 0;
  return (at) => {
    const current = Math.floor(at / quarter);
    if (current !== last && !Number.isNaN(current)) {
      last = current;
      offset = offsetOf(format, current * quarter);
    }
    return at + offset;
  };
}

function offsetOf(format: Intl.DateTimeFormat, at: number): number {
  const parts = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, second) / 1000 - at;
}

const daySeconds = 86_400;

/** When clocks first show a local time; if they skip it, the moment at which they change. */
export function toUtc(local: number, toLocal: ToLocal): number {
  const readBy = (at: number): number => local - (toLocal(at) - at);
  const [before, after] = [readBy(local - daySeconds), readBy(local + daySeconds)];
  const shown = [before, after].find((at) => toLocal(at) === local);
  if (shown !== undefined) return shown;
  // The clocks change between the two.
  let at = Math.ceil(Math.min(before, after) / quarter) * quarter;
  while (toLocal(at) < local) at += quarter;
  return at;
}
