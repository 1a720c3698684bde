/** Lines that are JSON objects: reads the values at given paths. */
import { type FieldName, field, fieldNames, type LineReader, type LogLine, outcome } from "./line.ts";

/** Where each field stands: the names of the members on the way to it. */
export type JsonPaths = Readonly<Partial<Record<FieldName, readonly string[]>>>;

/** The longest line of fields that is kept, in bytes; what is longer is cut. */
const scratchBytes = 65_536;

/** Reads JSON objects; an object without any of the fields is no request. */
export function createJsonReader(paths: JsonPaths): LineReader {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(scratchBytes);
  const wanted = fieldNames.flatMap((name) => {
    const path = paths[name];
    return path === undefined ? [] : [{ index: field[name], path }];
  });

  /** The values, one after the other, as the bytes that other formats have in their lines. */
  function write(value: unknown, line: LogLine): boolean {
    let at = 0;
    for (const { index, path } of wanted) {
      const text = textAt(value, path);
      if (text === undefined) continue;
      line.from[index] = at;
      at += encoder.encodeInto(text, scratch.subarray(at)).written;
      line.to[index] = at;
    }
    return at > 0;
  }

  return (bytes, from, to, line) => {
    let value: unknown;
    try {
      value = JSON.parse(decoder.decode(bytes.subarray(from, to)));
    } catch {
      return outcome.broken;
    }
    if (typeof value !== "object" || value === null) return outcome.broken;
    line.source = scratch;
    line.from.fill(-1);
    return write(value, line) ? outcome.request : outcome.other;
  };
}

/** The text or number at a path; of a list, such as the values of a header, the first one. */
export function textAt(value: unknown, path: readonly string[]): string | undefined {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  if (Array.isArray(found)) found = found[0];
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : undefined;
}
