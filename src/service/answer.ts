/**
 * What answers to GET have in common: the usual headers, validators (RFC 9110 §13), gzip, the length told to HEAD.
 */
import { prefersGzip } from "./negotiate.ts";
import type { Exchange } from "./options.ts";
import { secureHeaders } from "./secure-headers.ts";

/**
 * An answer as a value, until a runtime's file sends it. The pipeline adds `X-Request-Id` and the usual headers; the
 * runtime's file frames the body. A stream is read no faster than the client takes it, and `return()` is called on it
 * when the client goes away.
 */
export interface Answer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** HEAD: what GET would send; the pipeline leaves it out. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface AnswerFacts {
  readonly contentType: string;
  /** Names of the request headers that chose this answer; `Accept-Encoding` is added where it did. */
  readonly vary?: readonly string[];
  /** A strong validator of the representation as it is without coding, in quotes. */
  readonly etag?: string;
  /** Nobody may keep the answer: it changes with every request, or is for this caller only. */
  readonly isPrivate?: boolean;
}

const encoder = new TextEncoder();

/** Answers 200 with `body`, which HEAD leaves out; or 304 where the client has it already, without calling `body`. */
export async function answer(
  exchange: Exchange,
  facts: AnswerFacts,
  body: () => Body | Promise<Body>,
): Promise<Response> {
  const headers = baseHeaders(exchange, facts);
  if (facts.etag !== undefined && isKnown(exchange.request, facts.etag)) {
    return new Response(null, { status: 304, headers });
  }
  headers["content-type"] = facts.contentType;
  return send(exchange, headers, await body());
}

export interface CodedBody {
  plain(): Body | Promise<Body>;
  gzip(): Body | Promise<Body>;
}

/** Like `answer`, in gzip where the client prefers it; the coded representation has its own validator. */
export function answerCoded(exchange: Exchange, facts: AnswerFacts, body: CodedBody): Promise<Response> {
  const vary = [...(facts.vary ?? []), "Accept-Encoding"];
  if (!prefersGzip(exchange.request.headers.get("accept-encoding"))) {
    return answer(exchange, { ...facts, vary }, () => body.plain());
  }
  const etag = facts.etag === undefined ? {} : { etag: facts.etag.replace(/"$/, '-gzip"') };
  return answer(exchange, { ...facts, vary, ...etag }, () => body.gzip()).then((response) => {
    if (response.status === 200) response.headers.set("content-encoding", "gzip");
    return response;
  });
}

/** Answers without a body, such as 204 or a redirection. */
export function answerEmpty(
  exchange: Exchange,
  status: 204 | 302,
  headers?: Readonly<Record<string, string>>,
): Response {
  return new Response(null, { status, headers: { ...baseHeaders(exchange), ...headers } });
}

/** Compresses a body while it is sent. */
export function toGzip(body: Body): ReadableStream<Uint8Array<ArrayBuffer>> {
  const plain = new Response(body).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return plain.pipeThrough(new CompressionStream("gzip"));
}

/** Makes a strong validator, in quotes, of what determines the representation. */
export async function toEtag(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0"));
  return `"${hex.join("")}"`;
}

/** Compares weakly, as If-None-Match asks: a proxy that compresses makes validators weak. */
function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null) return false;
  return known.trim() === "*" || known.match(/"[^"]*"/g)?.some((tag) => tag === etag) === true;
}

function baseHeaders(exchange: Exchange, facts?: AnswerFacts): Record<string, string> {
  const headers: Record<string, string> = {
    "x-request-id": exchange.requestId,
    ...secureHeaders,
  };
  if (facts?.isPrivate) headers["cache-control"] = "no-store";
  if (facts?.vary !== undefined && facts.vary.length > 0) headers.vary = facts.vary.join(", ");
  if (facts?.etag !== undefined) {
    headers.etag = facts.etag;
    // Caches may keep it, and must ask whether it still holds.
    headers["cache-control"] = "no-cache";
  }
  return headers;
}

function send(exchange: Exchange, headers: Record<string, string>, body: Body): Response {
  if (exchange.request.method !== "HEAD") return new Response(body, { headers });
  if (body instanceof ReadableStream) {
    body.cancel().catch(() => {});
    // What GET sends; without it Bun says the length is 0, which RFC 9110 §8.6 forbids.
    headers["transfer-encoding"] = "chunked";
  } else headers["content-length"] = String((typeof body === "string" ? encoder.encode(body) : body).byteLength);
  return new Response(null, { headers });
}
