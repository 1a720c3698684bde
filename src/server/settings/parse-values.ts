/** Reads the values of settings: times, sizes, rates, lists and others. Each throws an Error as the parsers of text/parse-value.ts do. */
import { parseRate, type Rate } from "../../cache/token-buckets.ts";

const durations: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time such as `500ms`, `30s`, `5m`, `12h`, `30d`, as milliseconds. `others` are further values that the error names. */
export function parseDuration(text: string, minMs = 1000, maxMs = 3650 * 86_400_000, others = ""): number {
  const [, number, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(number) * (durations[unit ?? ""] ?? Number.NaN);
  if (!(ms >= minMs && ms <= maxMs)) {
    const range = `${showDuration(minMs)} to ${showDuration(maxMs)}`;
    throw new Error(`must be ${others}a time from ${range}, such as 30s or 2m`);
  }
  return ms;
}

/** Reads a time, or `off` as undefined. */
export function parseDurationOrOff(text: string): number | undefined {
  return text === "off" ? undefined : parseDuration(text, undefined, undefined, "off or ");
}

/** Writes a time in the largest unit that divides it. */
function showDuration(ms: number): string {
  const [unit, size] = Object.entries(durations).findLast(([, size]) => ms % size === 0) as [string, number];
  return `${ms / size}${unit}`;
}

/** Makes a parser of sizes such as `65536`, `64KiB`, `1MiB`, as bytes. */
export function parseSize(least: number, most: number): (text: string) => number {
  return (text) => {
    const [, number, unit] = /^(\d{1,9})(KiB|MiB)?$/.exec(text) ?? [];
    const bytes = Number(number) * (unit === "MiB" ? 1_048_576 : unit === "KiB" ? 1024 : 1);
    if (!(bytes >= least && bytes <= most)) {
      throw new Error(`must be a size from ${least} to ${most} bytes, such as 65536 or 64KiB`);
    }
    return bytes;
  };
}

/** Reads a rate such as `100/s`, `1000/m`, `50000/h`, or `off` as undefined. */
export function parseRateOrOff(text: string): Rate | undefined {
  if (text === "off") return undefined;
  const rate = parseRate(text);
  if (rate === undefined) throw new Error("must be off or a rate such as 100/s, 1000/m or 50000/h");
  return rate;
}

/** Makes a parser that returns undefined for an empty value. */
export function unlessEmpty<Value>(parse: (text: string) => Value): (text: string) => Value | undefined {
  return (text) => (text === "" ? undefined : parse(text));
}

/** Reads a text as it is. */
export const parseText = (text: string): string => text;

/** Reads a switch: on or off, and the other words that environments use. */
export function parseSwitch(text: string): boolean {
  if (/^(?:true|1|on|yes)$/i.test(text)) return true;
  if (/^(?:false|0|off|no)$/i.test(text)) return false;
  throw new Error("must be on or off");
}

/** The wrong value of a list. */
export class ListItemError extends Error {
  override readonly name = "ListItemError";
  readonly item: string;

  constructor(message: string, item: string) {
    super(message);
    this.item = item;
  }
}

/** Makes a parser of lists separated by commas. */
export function parseList<Value>(parse: (text: string) => Value): (text: string) => readonly Value[] {
  const parseItem = (item: string): Value => {
    try {
      return parse(item);
    } catch (error) {
      throw new ListItemError((error as Error).message, item);
    }
  };
  return (text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map(parseItem);
}

/** Reads a bearer token: what RFC 6750 lets a header carry, long enough not to be guessed. */
export function parseToken(text: string): string {
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(text) || text.length < 16) {
    throw new Error("must have at least 16 characters from A-Z a-z 0-9 - . _ ~ + /, and = only at the end");
  }
  return text;
}

/** Reads an origin as browsers send it: scheme, host and port, nothing behind. */
export function parseOrigin(text: string): string {
  if (text === "*" || (URL.canParse(text) && new URL(text).origin === text)) return text;
  throw new Error("must be an origin, such as https://example.com, or *");
}

/** Reads a host name or an address, in brackets or not. */
export function parseHost(text: string): string {
  const host = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (host === "") throw new Error("must be a host name or an address; 0.0.0.0 means every interface");
  // A URL or host:port here is the usual mistake, and a resolver's error about it is hard to read.
  if (/[\s/]/.test(host) || /^[^:]*:\d*$/.test(host)) {
    throw new Error("must be a host name or an address, without a port");
  }
  return host;
}

/** Reads a path prefix: it begins with a slash and does not end with one. */
export function parseBasePath(text: string): string {
  if (text === "" || /^(?:\/[A-Za-z0-9._~-]+)+$/.test(text)) return text;
  throw new Error("must be a path such as /bots that begins with a slash and does not end with one");
}
