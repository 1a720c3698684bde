/**
 * Common parts of answers with a representation: format, validators (RFC 9110 §13), gzip.
 */

import { hashBytes } from "../text/hash.ts";
import type { Answer, Body, HeaderReader, RequestContext } from "./context.ts";
import { type AnswerFormat, answerFormatNames, answerFormats } from "./formats.ts";
import { negotiateFormat, prefersGzip } from "./negotiate.ts";
import { Problem } from "./problems.ts";
import { toGzip } from "./streams.ts";

const types = answerFormatNames.map((name) => answerFormats[name].mediaTypes[0]).join(" and as ");

/** Returns the format of the path, or the format that the `Accept` header chooses. Throws a Problem if no format is acceptable. */
export function responseFormatOf({ format, request }: RequestContext): AnswerFormat {
  const found = format ?? negotiateFormat(request.headers.get("accept"));
  if (found === undefined) throw new Problem("not-acceptable", `The response is available as ${types}.`);
  return found;
}

/** What distinguishes a representation from others, for caches. */
export interface AnswerFacts {
  readonly contentType: string;
  /** Names of the request headers that chose this answer; `Accept-Encoding` is added if it did. */
  readonly vary?: readonly string[];
  /** A strong validator of the representation as it is without coding, in quotes. */
  readonly etag?: string;
  /** When the representation was last changed, in milliseconds. */
  readonly lastModified?: number;
  /** The answer must not be cached: it changes with every request, or is for this caller only. */
  readonly isPrivate?: boolean;
}

/** Answers 200 with `body`; or 304 without calling `body` if the client's copy is current. */
export async function answer(
  context: RequestContext,
  facts: AnswerFacts,
  body: () => Body | Promise<Body>,
): Promise<Answer> {
  const headers: Record<string, string> = {};
  if (facts.isPrivate) headers["cache-control"] = "no-store";
  if (facts.vary !== undefined && facts.vary.length > 0) headers.vary = facts.vary.join(", ");
  if (facts.lastModified !== undefined) headers["last-modified"] = new Date(facts.lastModified).toUTCString();
  if (facts.etag !== undefined) {
    headers.etag = facts.etag;
    // Caches may store it, and must revalidate it.
    headers["cache-control"] = "no-cache";
  }
  if (isCurrent(context.request.headers, facts)) return { status: 304, headers, body: null };
  headers["content-type"] = facts.contentType;
  return { status: 200, headers, body: await body() };
}

/**
 * Like `answer`, in gzip if the client prefers it; the compressed representation has its own validator. Without `gzip` the
 * body is compressed while it is sent.
 */
export async function answerCoded(
  context: RequestContext,
  facts: AnswerFacts,
  plain: () => Body | Promise<Body>,
  gzip: () => Body | Promise<Body> = async () => toGzip(await plain()),
): Promise<Answer> {
  const vary = [...(facts.vary ?? []), "Accept-Encoding"];
  if (!prefersGzip(context.request.headers.get("accept-encoding"))) return answer(context, { ...facts, vary }, plain);
  const etag = facts.etag === undefined ? {} : { etag: facts.etag.replace(/"$/, '-gzip"') };
  const coded = await answer(context, { ...facts, vary, ...etag }, gzip);
  return coded.status === 200 ? { ...coded, headers: { ...coded.headers, "content-encoding": "gzip" } } : coded;
}

const encoder = new TextEncoder();

/** Makes a strong validator, in quotes, of what determines the representation. At once: on Bun, no second request may arrive while one waits. */
export function toEtag(content: string): string {
  const bytes = encoder.encode(content);
  return `"${hashBytes(bytes, 0, bytes.length).toString(16)}"`;
}

/** Whether the client's copy is current. A time counts only without validators (RFC 9110 §13.2.2), and in the form that this service sends. */
function isCurrent(headers: HeaderReader, { etag, lastModified }: AnswerFacts): boolean {
  const known = headers.get("if-none-match");
  if (known !== null) return etag !== undefined && isKnown(known, etag);
  const since = headers.get("if-modified-since");
  if (since === null || lastModified === undefined || new Date(since).toUTCString() !== since) return false;
  return Date.parse(since) >= Math.floor(lastModified / 1000) * 1000;
}

/** Compares an `If-None-Match` header weakly, as RFC 9110 asks: a proxy that compresses makes validators weak. */
function isKnown(known: string, etag: string): boolean {
  return known.trim() === "*" || known.match(/"[^"]*"/g)?.some((tag) => tag === etag) === true;
}
