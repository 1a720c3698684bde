/**
 * A body that must be JSON: its declaration, its text, its value. The caller checks the value.
 */
import type { HeaderReader } from "../http/context.ts";
import { Problem } from "../http/problems.ts";
import { expectType } from "./body-type.ts";

const jsonTypes = ["application/json"] as const;

/** Throws a Problem if the headers do not declare JSON in UTF-8 (RFC 8259 §8.1 allows no other charset). */
export function expectJson(headers: HeaderReader): void {
  expectType(headers, jsonTypes, "not-declared-json");
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a body as UTF-8. Throws a Problem if it is not. */
export function toText(body: Uint8Array, headers: HeaderReader): string {
  try {
    return utf8.decode(body);
  } catch {
    throw notJson(body, headers);
  }
}

/** Reads JSON from a body's text. Throws a Problem if it is not JSON. */
export function parseJson(text: string, body: Uint8Array, headers: HeaderReader): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(body, headers);
  }
}

function notJson(body: Uint8Array, headers: HeaderReader): Problem {
  const coding = headers.get("content-encoding");
  if (coding !== null && coding !== "identity") {
    return new Problem("not-declared-json", "Send the body without Content-Encoding.", {
      "accept-encoding": "identity",
    });
  }
  return new Problem("not-json", body.byteLength === 0 ? empty : "The body cannot be parsed as JSON in UTF-8.");
}

const empty = 'The body is empty; send {"useragent": "…"}.';
