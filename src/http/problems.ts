/**
 * The single table of problems (RFC 9457), and the answers made from it in the client's format. The table of docs/api.md, which the page
 * /docs shows, is made from it, too.
 */

import { type Answer, BodyError, type RequestContext } from "./context.ts";
import { answerFormats } from "./formats.ts";
import { negotiateProblemFormat, prefersHtml } from "./negotiate.ts";

const row = (status: number, title: string, when: string) => ({ status, title, when });

export const problems = {
  "bad-header": row(400, "A header was sent twice", "`Host` or `Content-Type` is sent twice."),
  "not-json": row(400, "The body is not JSON", "The body is empty, incomplete, not JSON, or not UTF-8."),
  "bad-parameter": row(
    400,
    "A query parameter is not valid",
    "The value is not allowed, or the parameter is given twice.",
  ),
  unauthorized: row(401, "A token is required", "The request has no token, or a wrong one."),
  "cross-site": row(
    403,
    "Pages of other sites may not send this",
    "A browser sends a Check or CheckMany for a page whose origin is not in `cors-origin`.",
  ),
  "not-found": row(
    404,
    "There is no resource at this address",
    "The path does not exist, or it names something unknown.",
  ),
  "method-not-allowed": row(405, "This address does not support this method", "`Allow` lists the methods."),
  "not-acceptable": row(406, "No acceptable format is available", "`Accept` excludes JSON and XML."),
  "too-slow": row(408, "The body takes too long", "The body is not complete within `request-timeout`."),
  "too-large": row(
    413,
    "The body is too large",
    "The body exceeds `max-body` or the limits of CheckMany, or the method takes no body.",
  ),
  "type-not-taken": row(
    415,
    "A body of this type is not supported",
    "CheckMany does not accept this `Content-Type`, charset or compression.",
  ),
  "not-declared-json": row(
    415,
    "The body is not declared as JSON",
    "`Content-Type` is missing or different, the charset is not UTF-8, or the body is compressed.",
  ),
  misdirected: row(
    421,
    "The request is for another host",
    "The service listens on this machine only, no proxy is trusted, and `Host` is neither a loopback name nor `host`.",
  ),
  "no-useragent": row(
    422,
    "The body has no string `useragent`",
    "The body is JSON, but not an object with this member.",
  ),
  "bad-evidence": row(
    422,
    "`ip`, `headers` or `wait` is not valid",
    "`ip` is not an address, or `headers` or `wait` is invalid.",
  ),
  "too-many-requests": row(
    429,
    "Too many requests",
    "The client exceeds `rate-limit`; `Retry-After` gives the time to wait.",
  ),
  "wrong-policy": row(
    429,
    "The policy is invalid",
    "The policy of `/auth` has an error, so all crawlers are blocked; `/readyz` names it. Fix the proxy's configuration.",
  ),
  internal: row(500, "The service failed", "`detail` contains the request id; the cause is in the service's log."),
  "record-unavailable": row(
    503,
    "The record cannot be read",
    "With `?source=evaluated`, or if the record fails before the list begins.",
  ),
  "list-timeout": row(503, "The record takes too long", "The list waited longer than `list-timeout` for the record."),
  "too-many-bodies": row(
    503,
    "Too many bodies are being read",
    "The service is already reading the maximum number of bodies from this client, or from all clients; `Retry-After` gives the time to wait.",
  ),
  "too-many-lists": row(
    503,
    "Too many lists are being sent",
    "`max-lists` lists, or half of them to this client, are already being sent; `Retry-After` gives the time to wait.",
  ),
} as const satisfies Readonly<Record<string, { status: number; title: string; when: string }>>;
export type ProblemName = keyof typeof problems;

export interface ProblemDetails {
  /** What went wrong this time, in words. */
  readonly detail: string;
  /** The query parameter that is wrong. */
  readonly parameter?: string;
  /** The allowed values of the parameter. */
  readonly allowed?: readonly string[];
}

/** Thrown by guards and handlers: the request is answered with this problem. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly problem: ProblemName;
  readonly details: ProblemDetails;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: ProblemName, details: ProblemDetails | string, headers: Readonly<Record<string, string>> = {}) {
    super(problem);
    this.problem = problem;
    this.details = typeof details === "string" ? { detail: details } : details;
    this.headers = headers;
  }
}

/** Shows a problem to a person; the answer's status and other headers are those of the problem. */
export type ErrorPage = (name: ProblemName, details: ProblemDetails) => Pick<Answer, "headers" | "body">;

/**
 * Answers with the thrown error: to a browser that opens an address with `errorPage`, else in the format that the path or the
 * `Accept` header asks for. Any other error is a failure of the service: it goes to the log, not to the client.
 */
export function answerProblem(context: RequestContext, error: unknown, errorPage?: ErrorPage): Answer {
  const { problem: name, details, headers } = toProblem(context, error);
  context.problem = name;
  if (errorPage !== undefined && isOpenedByBrowser(context.request, name)) {
    const page = errorPage(name, details);
    const { status } = problems[name];
    return { status, headers: { ...page.headers, vary: "Accept", ...headers }, body: page.body };
  }
  const format = answerFormats[context.format ?? negotiateProblemFormat(context.request.headers.get("accept"))];
  return {
    status: problems[name].status,
    headers: {
      "content-type": format.problemType,
      ...(context.format === undefined && { vary: "Accept" }),
      ...headers,
    },
    body: format.writeProblem(toProblemMembers(context.basePath, name, details)),
  };
}

/** Whether a person will see the answer: browsers open addresses with GET, and send forms. */
function isOpenedByBrowser({ method, headers }: RequestContext["request"], name: ProblemName): boolean {
  // Browsers accept XML. A client that accepts neither JSON nor XML is a program.
  if (name === "not-acceptable") return false;
  const isForm = headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true;
  return (method === "GET" || method === "HEAD" || isForm) && prefersHtml(headers.get("accept"));
}

/** The members of a problem (RFC 9457). */
export interface ProblemMembers extends Pick<ProblemDetails, "detail"> {
  /** Its address has the documentation. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly parameter: string | undefined;
  readonly allowed: readonly string[] | undefined;
}

/** Makes the members of a problem; `basePath` is the path that the service is mounted at. */
export function toProblemMembers(basePath: string, name: ProblemName, details: ProblemDetails): ProblemMembers {
  const { status, title } = problems[name];
  const { detail, parameter, allowed } = details;
  return { type: `${basePath}/docs#${name}`, title, status, detail, parameter, allowed };
}

/** The rest of an unread body could be mistaken for another request. */
const close = { connection: "close" };

/** Why a body could not be read, as a problem; undefined for errors of another kind. */
function toBodyProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!(error instanceof BodyError)) return undefined;
  const { reason, message } = error;
  return new Problem(reason === "gone" || reason === "damaged" ? "not-json" : reason, message, close);
}

function toProblem(context: RequestContext, error: unknown): Problem {
  const problem = toBodyProblem(error);
  if (problem !== undefined) return problem;
  context.error = error;
  return new Problem("internal", `Ask the operator about request ${context.requestId}.`);
}
