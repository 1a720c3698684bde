/**
 * List: the strings the service evaluates, each with its verdict and where it comes from, filtered and cut by the query.
 */
import type { Detector, Verdict } from "../detect/verdict.ts";
import { answerCoded, type Body, type CodedBody, toEtag, toGzip } from "./answer.ts";
import { type Format, negotiateFormat } from "./negotiate.ts";
import type { Exchange, Handler } from "./options.ts";
import { problem } from "./problems.ts";
import { parseQuery } from "./query.ts";
import { listQuery } from "./schemas.ts";
import { listTailXml, toItemXml, toListHeadXml } from "./xml.ts";

/** A list's query as it is after validation. */
export interface ListQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  readonly crawler?: boolean | undefined;
}

/** Items that are written between two chances for other requests: about half a millisecond's work. */
const itemsPerPiece = 256;
const contentTypes: Readonly<Record<Format, string>> = {
  json: "application/json",
  xml: "application/xml; charset=utf-8",
};
const encoder = new TextEncoder();
const unacceptable = { detail: "The list is there as application/json and as application/xml." };

/** Makes the handler of the three List paths. Verdicts and the whole list are worked out when first asked for, once. */
export function createList(detector: Detector): Handler {
  let evaluated: readonly Verdict[] | undefined;
  let etag: string | undefined;
  const verdicts = (): readonly Verdict[] => {
    evaluated ??= detector.strings().map((useragent) => detector.check(useragent));
    return evaluated;
  };
  const etagBase = (): string => {
    etag ??= toEtag(detector.version, ...verdicts().map((verdict) => JSON.stringify(verdict)));
    return etag;
  };
  const whole: Readonly<Record<Format, CodedBody>> = {
    json: once(() => write("json", select(detector.version, verdicts(), {}))),
    xml: once(() => write("xml", select(detector.version, verdicts(), {}))),
  };

  return function list(exchange: Exchange): Response | Promise<Response> {
    const format = exchange.format ?? negotiateFormat(exchange.request.headers.get("accept"));
    if (format === undefined) return problem(exchange, "not-acceptable", unacceptable);
    const query = parseQuery(exchange.request.url, listQuery);
    if (!query.success) return problem(exchange, "bad-parameter", query.details);
    const facts = {
      contentType: contentTypes[format],
      etag: etagBase().replace(/"$/, `-${format}"`),
      vary: exchange.format === undefined ? ["Accept"] : [],
    };
    if (Object.keys(query.value).length === 0) return answerCoded(exchange, facts, whole[format]);
    const body = (): Body => {
      const selection = select(detector.version, verdicts(), query.value);
      const pieces = write(format, selection);
      return selection.items.length <= itemsPerPiece ? [...pieces].join("") : toStream(pieces);
    };
    return answerCoded(exchange, facts, { plain: body, gzip: () => toGzip(body()) });
  };
}

/** What a query asks for: the facts that head the list, and the items. */
interface Selection {
  readonly facts: { readonly version: string; total: number; offset: number; limit: number | undefined };
  readonly items: readonly Verdict[];
}

function select(version: string, verdicts: readonly Verdict[], query: ListQuery): Selection {
  const found = filter(verdicts, query);
  const { offset = 0, limit } = query;
  const end = limit === undefined ? found.length : offset + limit;
  return { facts: { version, total: found.length, offset, limit }, items: found.slice(offset, end) };
}

/** Writes a list piece by piece. */
function* write(format: Format, { facts, items }: Selection): Generator<string> {
  yield format === "json" ? `${JSON.stringify(facts).slice(0, -1)},"items":[` : toListHeadXml(facts);
  const source = "catalogue";
  for (let start = 0; start < items.length; start += itemsPerPiece) {
    const piece = items.slice(start, start + itemsPerPiece);
    if (format === "xml") yield piece.map((verdict) => toItemXml(verdict, source)).join("");
    else yield (start > 0 ? "," : "") + piece.map((verdict) => JSON.stringify({ ...verdict, source })).join(",");
  }
  yield format === "json" ? "]}" : listTailXml;
}

function filter(verdicts: readonly Verdict[], { q, category, crawler }: ListQuery): readonly Verdict[] {
  const needle = q?.toLowerCase() ?? "";
  if (needle === "" && category === undefined && crawler === undefined) return verdicts;
  return verdicts.filter(
    (verdict) =>
      (crawler === undefined || verdict.crawler === crawler) &&
      (category === undefined || verdict.category === category) &&
      (needle === "" || verdict.useragent.toLowerCase().includes(needle)),
  );
}

/** Sends pieces as they are read. */
function toStream(pieces: Generator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

/** Keeps a body and its compressed form after the first use. */
function once(pieces: () => Generator<string>): CodedBody {
  let plain: Uint8Array<ArrayBuffer> | undefined;
  let gzip: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const toPlain = (): Uint8Array<ArrayBuffer> => {
    plain ??= encoder.encode([...pieces()].join(""));
    return plain;
  };
  const toCompressed = async (): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await new Response(toGzip(toPlain())).arrayBuffer());
  return {
    plain: toPlain,
    gzip() {
      gzip ??= toCompressed();
      return gzip;
    },
  };
}
