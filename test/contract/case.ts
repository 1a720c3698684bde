/**
 * One row of the contract: what is sent, and what must come back.
 */
import type { ProblemName } from "../../src/http/problems.ts";
import { googlebot } from "../support/user-agents.ts";

export interface Case {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** What the row is about, where the request does not say it. */
  readonly about?: string;

  readonly status: number;
  /** The `Content-Type`; null for none. */
  readonly type: string | null;
  readonly problem?: ProblemName;
  /** What the problem says to a person; a sentence where the row has none. */
  readonly detail?: string;
  /** Other headers of the answer; null for one that must be absent. */
  readonly answers?: Readonly<Record<string, string | RegExp | null>>;
  /** Members that the JSON answer must have. */
  readonly json?: Readonly<Record<string, unknown>>;
  readonly text?: string | RegExp;
}

export const json = "application/json";
export const xml = "application/xml; charset=utf-8";
export const plain = "text/plain; charset=utf-8";
export const problemJson = "application/problem+json";
export const problemXml = "application/problem+xml";

/** A Check that is answered with a verdict. */
export const declared = { "content-type": json };
export const ask = (useragent: string) => JSON.stringify({ useragent });
export const check = { method: "POST", path: "/RestService/Check", headers: declared, body: ask(googlebot) };
export const accepting = (accept: string) => ({ ...check, headers: { ...declared, accept } });
export const sending = (body: string | Uint8Array) => ({ ...check, body });
export const declaring = (type: string) => ({ ...check, headers: { "content-type": type } });

/** A CheckMany. */
export const ndjson = "application/x-ndjson";
export const many = (type: string, body: string | Uint8Array, headers: Case["headers"] = {}) => ({
  method: "POST",
  path: "/RestService/CheckMany",
  headers: { "content-type": type, ...headers },
  body,
});
