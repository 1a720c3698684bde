/**
 * Content negotiation (RFC 9110 §12.5): which format and which coding a request's headers ask for.
 * `negotiator` does the parsing; the few values that most clients send are cached.
 */

import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import { type AnswerFormat, answerFormatNames, answerFormats } from "./formats.ts";

/** The format of each acceptable media type; the first is the default. */
const answerTypes = new Map(
  answerFormatNames.flatMap((name) => answerFormats[name].mediaTypes.map((type) => [type, name] as const)),
);
const problemTypes = new Map(answerFormatNames.map((name) => [answerFormats[name].problemType, name]));
const html = "text/html";

/** Only this much of a header is read, because parsing takes time. No ordinary client sends more. */
const maxHeaderLength = 1024;
const maxRemembered = 256;

const remembered = new LRUCache<string, AnswerFormat | "none">({ max: maxRemembered });

/** Chooses a format by an `Accept` header; returns undefined if no format is acceptable. */
export function negotiateFormat(accept: string | null): AnswerFormat | undefined {
  if (accept === null || accept === "*/*" || accept === "application/json") return "json";
  // Taken literally, an empty header would accept nothing; no client means that.
  if (accept.trim() === "") return "json";
  const known = remembered.get(accept);
  if (known !== undefined) return known === "none" ? undefined : known;
  const format = choose(accept, answerTypes);
  if (accept.length <= maxHeaderLength) remembered.set(accept, format ?? "none");
  return format;
}

/** Chooses the format of a problem: as for an answer, else by the problem types themselves, else JSON. */
export function negotiateProblemFormat(accept: string | null): AnswerFormat {
  return negotiateFormat(accept) ?? choose(accept ?? "", problemTypes) ?? "json";
}

/** Whether an `Accept` header prefers HTML to every format of a problem, as a browser's does when it opens an address. */
export function prefersHtml(accept: string | null): boolean {
  return negotiateType(accept, [...problemTypes.keys(), ...answerTypes.keys(), html]) === html;
}

/** Chooses one of `offered` by an `Accept` header, or the first without a header; returns undefined if no type is acceptable. */
export function negotiateType<Type extends string>(accept: string | null, offered: readonly Type[]): Type | undefined {
  if (accept === null || accept.trim() === "") return offered[0];
  const type = new Negotiator({ headers: { accept: shorten(accept) } }).mediaType([...offered]);
  return type as Type | undefined;
}

/** Tells whether an `Accept-Encoding` header prefers gzip to the plain answer. */
export function prefersGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null || acceptEncoding === "") return false;
  const headers = { "accept-encoding": shorten(acceptEncoding) };
  return new Negotiator({ headers }).encoding(["gzip", "identity"]) === "gzip";
}

function choose(accept: string, types: ReadonlyMap<string, AnswerFormat>): AnswerFormat | undefined {
  const best = new Negotiator({ headers: { accept: shorten(accept) } }).mediaType([...types.keys()]);
  return best === undefined ? undefined : types.get(best);
}

/** Keeps only complete items, because a truncated media type would be a different one. */
function shorten(header: string): string {
  if (header.length <= maxHeaderLength) return header;
  return header.slice(0, header.lastIndexOf(",", maxHeaderLength) + 1);
}
