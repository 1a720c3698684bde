/**
 * Reads the body of a Check: its declaration, its text, its value, and the evidence for verification. The verifier decides what
 * evidence proves.
 */
import { toAddress } from "../../address/address.ts";
import { expectType } from "../../http/bodies.ts";
import type { HeaderReader } from "../../http/context.ts";
import { Problem } from "../../http/problems.ts";
import type { Evidence } from "../../verify/evidence.ts";
import { fieldLimits, toFields } from "../../verify/request-headers.ts";
import { maxWaitMs } from "../limits.ts";

const jsonTypes = ["application/json"] as const;

/** Throws a Problem if the headers do not declare uncompressed JSON in UTF-8 (RFC 8259 §8.1 allows no other charset). */
export function expectJson(headers: HeaderReader): void {
  expectType(headers, jsonTypes, "not-declared-json");
  const coding = headers.get("content-encoding");
  if (coding !== null && coding.trim().toLowerCase() !== "identity")
    throw new Problem("not-declared-json", "Send the body without Content-Encoding.", {
      "accept-encoding": "identity",
    });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a body as UTF-8. Throws a Problem if it is not. */
export function decodeText(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw notJson(body);
  }
}

/** Reads JSON from a body's text. Throws a Problem if it is not JSON. */
export function parseJson(text: string, body: Uint8Array): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(body);
  }
}

function notJson(body: Uint8Array): Problem {
  return new Problem("not-json", body.byteLength === 0 ? empty : "The body cannot be parsed as JSON in UTF-8.");
}

const empty = 'The body is empty; send {"useragent": "…"}.';

/** Tells whether a value is the body of a Check, as the schema `CheckRequest` has it. */
export function isCheckRequest(body: unknown): body is { readonly useragent: string } {
  return typeof body === "object" && body !== null && typeof (body as { useragent?: unknown }).useragent === "string";
}

/** The user agent of an item of CheckMany: the string itself, or the user agent of an object such as Check takes. */
export function useragentOf(item: unknown): string | undefined {
  if (typeof item === "string") return item;
  return isCheckRequest(item) ? item.useragent : undefined;
}

export const missing = 'Send strings, or objects with a string `useragent`, such as {"useragent": "Mozilla/5.0 …"}.';

/** The evidence, and how long the answer may wait for lookups; 0 does not wait. */
export interface CheckEvidence extends Evidence {
  readonly waitMs: number;
}

/** Reads `ip`, `headers` and `wait` of a body; undefined without all three. Throws a Problem if one is invalid. */
export function parseCheckEvidence(body: object): CheckEvidence | undefined {
  const { ip, headers, wait: waitMs = 0 } = body as Readonly<Record<string, unknown>>;
  if (ip === undefined && headers === undefined) return undefined;
  if (ip !== undefined && (typeof ip !== "string" || toAddress(ip) === undefined))
    throw new Problem("bad-evidence", noIp);
  if (headers !== undefined && !isHeaders(headers)) throw new Problem("bad-evidence", noHeaders);
  if (headers !== undefined && toFields(headers) === undefined) throw new Problem("bad-evidence", tooManyHeaders);
  if (typeof waitMs !== "number" || !Number.isInteger(waitMs) || waitMs < 0 || waitMs > maxWaitMs) {
    throw new Problem("bad-evidence", noWait);
  }
  return { ip, headers, waitMs };
}

/** The evidence of an item of CheckMany. Throws a Problem if it is invalid. */
export function checkEvidenceOf(item: unknown): CheckEvidence | undefined {
  return typeof item === "object" && item !== null ? parseCheckEvidence(item) : undefined;
}

function isHeaders(value: unknown): value is Readonly<Record<string, string | readonly string[]>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(
    (lines) => typeof lines === "string" || (Array.isArray(lines) && lines.every((line) => typeof line === "string")),
  );
}

const noIp =
  "`ip` must be the client's IPv4 or IPv6 address, without port, brackets or zone, such as 192.0.2.1; omit it if it is unknown.";
const noHeaders = "`headers` must be an object with the request's header fields: strings, or lists of strings.";
const tooManyHeaders = `\`headers\` may have at most ${fieldLimits}.`;
const noWait = `\`wait\` must be a whole number of milliseconds from 0 to ${maxWaitMs}.`;
