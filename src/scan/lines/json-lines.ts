/** Lines that are JSON objects: reads the values at given paths. */
import { type FieldName, field, fieldNames, type LineReader, type LogLine, outcome } from "./line.ts";

/** The position of each field: the names of the members that lead to it; `date` is the day, where the time is only one of the day. */
export type JsonPaths = Readonly<Partial<Record<FieldName | "date", readonly string[]>>>;

/** Room for the fields of the longest line, 512 KiB, if each of its bytes becomes U+FFFD. */
const scratchBytes = 2 * 1024 * 1024;

/** Servers write the other fields in lines about themselves, too: an object without any of these is not a request. */
const fieldsOfRequests: ReadonlySet<FieldName> = new Set(["useragent", "status", "path", "request", "count"]);

/** Reads JSON objects. A user agent that is null, as in exports of a database, is a missing one. */
export function createJsonReader(paths: JsonPaths): LineReader {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(scratchBytes);
  const wanted = fieldNames.flatMap((name) => {
    const path = paths[name];
    return path === undefined ? [] : [{ index: field[name], path, isOfRequests: fieldsOfRequests.has(name) }];
  });

  /** Writes the values, one after the other, as the bytes that other formats have in their lines; returns whether it is a request. */
  function write(value: unknown, line: LogLine): boolean {
    let at = 0;
    let isRequest = false;
    for (const { index, path, isOfRequests } of wanted) {
      const found = valueAt(value, path);
      if (index === field.useragent && found === null) isRequest = true;
      const own = toText(found);
      if (own === undefined) continue;
      const text = index === field.time && paths.date !== undefined ? `${textAt(value, paths.date)} ${own}` : own;
      isRequest ||= isOfRequests;
      line.from[index] = at;
      at += encoder.encodeInto(text, scratch.subarray(at)).written;
      line.to[index] = at;
    }
    return isRequest;
  }

  return (bytes, from, to, line) => {
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(bytes.subarray(from, to)));
    } catch {
      return outcome.broken;
    }
    if (typeof value !== "object" || value === null) return outcome.broken;
    // Cloudflare's Logpush has a request of a visitor, and those that the site's own Worker made for it.
    if ("WorkerSubrequest" in value && value.WorkerSubrequest === true) return outcome.other;
    line.source = scratch;
    line.from.fill(-1);
    return write(value, line) ? outcome.request : outcome.other;
  };
}

/** The text or number at a path, which may lead through texts that are objects as JSON; of a list, such as the values of a header, the first one. */
export function textAt(value: unknown, path: readonly string[]): string | undefined {
  return toText(valueAt(value, path));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found === "string") found = parseObject(found);
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return Array.isArray(found) ? found[0] : found;
}

/** The object that a text is as JSON; undefined for another text. */
export function parseObject(text: string): object | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}
