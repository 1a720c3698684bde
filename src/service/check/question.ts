/**
 * Reads the evidence for verification from a body. The verifier decides what it proves.
 */
import { toAddress } from "../../address/address.ts";
import type { Evidence } from "../../verify/evidence.ts";
import { isWithinLimits, mostFieldCharacters, mostFields } from "../../verify/request-headers.ts";
import { Problem } from "../http/problems.ts";

/** The evidence, and how long the answer may wait for lookups; 0 does not wait. */
export interface Question extends Evidence {
  readonly waitMs: number;
}

/** A longer wait would let clients hold connections for as long as they like. */
export const longestWaitMs = 5000;

/** Reads `ip`, `headers` and `wait` of a body; undefined without all three. Throws a Problem if one is invalid. */
export function parseQuestion(body: object): Question | undefined {
  const { ip, headers, wait: waitMs = 0 } = body as Readonly<Record<string, unknown>>;
  if (ip === undefined && headers === undefined) return undefined;
  if (ip !== undefined && (typeof ip !== "string" || toAddress(ip) === undefined))
    throw new Problem("bad-evidence", noIp);
  if (headers !== undefined && !isHeaders(headers)) throw new Problem("bad-evidence", noHeaders);
  if (headers !== undefined && !isWithinLimits(headers)) throw new Problem("bad-evidence", tooManyHeaders);
  if (typeof waitMs !== "number" || !Number.isInteger(waitMs) || waitMs < 0 || waitMs > longestWaitMs) {
    throw new Problem("bad-evidence", noWait);
  }
  return { ip, headers, waitMs };
}

function isHeaders(value: unknown): value is Readonly<Record<string, string | readonly string[]>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(
    (lines) => typeof lines === "string" || (Array.isArray(lines) && lines.every((line) => typeof line === "string")),
  );
}

const noIp =
  "`ip` is the client's address, IPv4 or IPv6, without port, brackets or zone, such as 192.0.2.1; omit it if it is unknown.";
const noHeaders = "`headers` is an object of the request's header fields: strings, or lists of strings.";
const tooManyHeaders = `\`headers\` may have ${mostFields} fields, and ${mostFieldCharacters} characters of names and values.`;
const noWait = `\`wait\` is a whole number of milliseconds from 0 to ${longestWaitMs}.`;
