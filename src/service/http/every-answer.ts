/**
 * What applies to the requests and answers of all routes: refused heads, answers to HEAD, common headers, and
 * connections that are closed because a body was not read.
 */
import type { Answer } from "./answer.ts";
import type { IncomingRequest } from "./context.ts";
import { Problem } from "./problems.ts";

/** An answer that is ready to be sent. */
export interface FinishedAnswer extends Answer {
  /** Headers of this answer only, in addition to those that answers share. */
  readonly added: Readonly<Record<string, string>>;
}

/** Headers of every answer: browsers do not guess types and send no referrer. */
export const secureHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;

/** An unread body of up to this many bytes is discarded, so that the connection can be used again. */
const maxUnreadBytes = 65_536;

/** Throws a Problem if the head of a request must be refused. */
export function refuseHead(request: IncomingRequest): void {
  const { method, headers } = request;
  // Two servers may take a request with two hosts for two different requests.
  if (headers.get("host")?.includes(",")) throw new Problem("bad-header", "Give Host only once.", close);
  if (method !== "POST" && hasLongBody(request))
    throw new Problem("too-large", "Send no body with this method.", close);
}

/** Completes an answer: HEAD gets the head only, and a long unread body closes the connection. */
export function finish(request: IncomingRequest, answer: Answer, added: Record<string, string>): FinishedAnswer {
  const { status, headers } = answer;
  if (added.vary !== undefined && headers.vary !== undefined) added.vary = `${headers.vary}, ${added.vary}`;
  // A stream may begin to read the body when it is sent.
  if (!isStream(answer.body) && !request.isBodyTaken && hasLongBody(request)) added.connection = "close";
  const body = request.method === "HEAD" ? leaveOut(answer.body, added) : answer.body;
  return { status, headers, added, body };
}

const close = { connection: "close" };

/** Whether the body may be longer than the part that is discarded unread; some bodies have no declared length. */
function hasLongBody({ headers, declaredBytes = 0 }: IncomingRequest): boolean {
  return headers.get("transfer-encoding") !== null || declaredBytes > maxUnreadBytes;
}

function isStream(body: Answer["body"]): boolean {
  return body !== null && typeof body === "object" && !(body instanceof Uint8Array);
}

const encoder = new TextEncoder();

/** Says of a body what GET would send. */
function leaveOut(body: Answer["body"], added: Record<string, string>): null {
  if (body === null) return null;
  if (typeof body === "string" || body instanceof Uint8Array) {
    added["content-length"] = String((typeof body === "string" ? encoder.encode(body) : body).byteLength);
    return null;
  }
  body[Symbol.asyncIterator]().return?.();
  // Without it Bun says that the length is 0, which RFC 9110 §8.6 forbids.
  added["transfer-encoding"] = "chunked";
  return null;
}
