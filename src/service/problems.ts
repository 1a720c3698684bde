/**
 * The one table of everything that can go wrong, and RFC 9457 problems made from it in the client's format.
 * docs/api.md shows the same table; a test holds the two equal.
 */
import { negotiateProblemFormat } from "./negotiate.ts";
import type { Exchange } from "./options.ts";
import { secureHeaders } from "./secure-headers.ts";
import { element, xmlProlog } from "./xml.ts";

export const problems = {
  "not-json": { status: 400, title: "The body is not JSON" },
  "bad-parameter": { status: 400, title: "A query parameter is not valid" },
  unauthorized: { status: 401, title: "A token is needed" },
  "not-found": { status: 404, title: "Nothing is at this address" },
  "method-not-allowed": { status: 405, title: "This address does not take this method" },
  "not-acceptable": { status: 406, title: "No format of this answer is acceptable" },
  "too-large": { status: 413, title: "The body is too large" },
  "not-declared-json": { status: 415, title: "The body is not declared to be JSON" },
  "no-useragent": { status: 422, title: "The body has no string `useragent`" },
  "too-many-requests": { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "The service failed" },
  "record-unavailable": { status: 503, title: "The record cannot be read" },
} as const satisfies Readonly<Record<string, { status: number; title: string }>>;
export type ProblemName = keyof typeof problems;

export interface ProblemDetails {
  /** What went wrong this time, for a person. */
  readonly detail: string;
  /** The query parameter that is wrong. */
  readonly parameter?: string;
  /** What the parameter may be. */
  readonly allowed?: readonly string[];
}

/** Where a problem is explained; relative to the service. */
export function problemType(name: ProblemName): string {
  return `/docs#${name}`;
}

/** An answer before the host's way of sending it is known. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** Makes a problem, in the format that the path or else the `Accept` header asks for. */
export function problemText(
  exchange: Exchange,
  name: ProblemName,
  details: ProblemDetails,
  headers?: Readonly<Record<string, string>>,
): PlainAnswer {
  const { status, title } = problems[name];
  const format = exchange.format ?? negotiateProblemFormat(exchange.request.headers.get("accept"));
  const { detail, parameter, allowed } = details;
  const body = { type: problemType(name), title, status, detail, parameter, allowed };
  return {
    status,
    text: format === "xml" ? toProblemXml(body) : JSON.stringify(body),
    headers: {
      "content-type": `application/problem+${format}`,
      ...(exchange.format === undefined ? { vary: "Accept" } : undefined),
      "x-request-id": exchange.requestId,
      ...secureHeaders,
      ...headers,
    },
  };
}

/** Answers with a problem. */
export function problem(...args: Parameters<typeof problemText>): Response {
  return toResponse(problemText(...args));
}

/** Makes the answer for what should not have happened; says nothing of it to the client. */
export function failureText(exchange: Exchange, error: unknown): PlainAnswer {
  exchange.error = error;
  return problemText(exchange, "internal", { detail: `Ask the operator about request ${exchange.requestId}.` });
}

/** Answers for what should not have happened. */
export function failure(exchange: Exchange, error: unknown): Response {
  return toResponse(failureText(exchange, error));
}

/** Makes the web's own Response of an answer. */
export function toResponse({ status, headers, text }: PlainAnswer): Response {
  return new Response(text, { status, headers });
}

/** RFC 9457, appendix B: members are elements, the items of an array are `<i>`. */
function toProblemXml(body: Readonly<Record<string, string | number | readonly string[] | undefined>>): string {
  let members = "";
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    members += Array.isArray(value)
      ? `<${name}>${value.map((item) => element("i", item)).join("")}</${name}>`
      : element(name, String(value));
  }
  return `${xmlProlog}<problem xmlns="urn:ietf:rfc:7807">${members}</problem>`;
}
