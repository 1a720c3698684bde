/**
 * Content negotiation (RFC 9110 §12.5): which format and which coding a request's headers ask for.
 * Parsing is the work of `negotiator`; the few values that most clients send are remembered.
 */
import Negotiator from "negotiator";

export type Format = "json" | "xml";

/** What each acceptable media type stands for; some clients ask with a charset, and UTF-8 is what they get. */
const answerTypes: Readonly<Record<string, Format>> = {
  "application/json": "json",
  "application/xml": "xml",
  "text/xml": "xml",
  "application/json;charset=utf-8": "json",
  "application/xml;charset=utf-8": "xml",
  "text/xml;charset=utf-8": "xml",
};
const problemTypes: Readonly<Record<string, Format>> = {
  "application/problem+json": "json",
  "application/problem+xml": "xml",
};

/** Longer headers than this are no client's own; only so much of one is read, because parsing costs time. */
const maxHeaderLength = 1024;
const maxRemembered = 256;

const remembered = new Map<string, Format | undefined>();

/** Chooses JSON or XML by an `Accept` header; undefined where neither is acceptable. */
export function negotiateFormat(accept: string | null): Format | undefined {
  if (accept === null || accept === "*/*" || accept === "application/json") return "json";
  // An empty header would accept nothing at all, which no client means.
  if (accept.trim() === "") return "json";
  if (remembered.has(accept)) return remembered.get(accept);
  const format = choose(accept, answerTypes);
  if (accept.length <= maxHeaderLength) {
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(accept, format);
  }
  return format;
}

/** Chooses the format of a problem: as for an answer, else by the problem types themselves, else JSON. */
export function negotiateProblemFormat(accept: string | null): Format {
  return negotiateFormat(accept) ?? choose(accept ?? "", problemTypes) ?? "json";
}

/** Tells whether an `Accept-Encoding` header prefers gzip to the plain answer. */
export function prefersGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null || acceptEncoding === "") return false;
  const headers = { "accept-encoding": cut(acceptEncoding) };
  return new Negotiator({ headers }).encoding(["gzip", "identity"]) === "gzip";
}

function choose(accept: string, types: Readonly<Record<string, Format>>): Format | undefined {
  const best = new Negotiator({ headers: { accept: cut(accept) } }).mediaType(Object.keys(types));
  return best === undefined ? undefined : types[best];
}

function cut(header: string): string {
  if (header.length <= maxHeaderLength) return header;
  return header.slice(0, header.lastIndexOf(",", maxHeaderLength) + 1);
}
