/**
 * List: the catalogue's strings and those that Check was asked about, each with its verdict and where it comes from,
 * filtered and cut by the query. Writing them is list-body.ts's work.
 */
import type { Detector, Verdict } from "../detect/verdict.ts";
import type { RecordedString } from "../record/store.ts";
import { answerCoded, type Body, toEtag, toGzip } from "./answer.ts";
import { itemsPerPiece, keepBody, type ListFacts, toStream, writeList } from "./list-body.ts";
import { type Format, negotiateFormat } from "./negotiate.ts";
import type { Exchange, Handler, RecordKeeper } from "./options.ts";
import { problem } from "./problems.ts";
import { parseQuery } from "./query.ts";
import { listQuery, type sources } from "./schemas.ts";
import type { ListedItem } from "./xml.ts";

/** What List needs to know. */
export interface ListParts {
  readonly detector: Detector;
  readonly record: RecordKeeper | undefined;
  readonly seesEvaluated: ((authorization: string | null) => boolean) | undefined;
}

/** A list's query as it is after validation. */
export interface ListQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly q?: string | undefined;
  readonly category?: Verdict["category"] | undefined;
  readonly crawler?: boolean | undefined;
  readonly source?: (typeof sources)[number] | undefined;
}

const contentTypes: Readonly<Record<Format, string>> = {
  json: "application/json",
  xml: "application/xml; charset=utf-8",
};
const unacceptable = { detail: "The list is there as application/json and as application/xml." };
const hidden = { detail: "Recorded strings are shown to callers with a token: Authorization: Bearer …" };
const unavailable = { detail: "The record cannot be read now; the catalogue's strings are at ?source=catalogue." };

/** Makes the handler of the three List paths. Verdicts and the whole list are worked out when first asked for, once. */
export function createList({ detector, record, seesEvaluated }: ListParts): Handler {
  let evaluated: readonly ListedItem[] | undefined;
  let etag: Promise<string> | undefined;
  const catalogue = (): readonly ListedItem[] => {
    evaluated ??= detector.strings().map((useragent) => ({ ...detector.check(useragent), source: "catalogue" }));
    return evaluated;
  };
  const factsOf = (query: ListQuery, total: number): ListFacts => {
    return { version: detector.version, total, offset: query.offset ?? 0, limit: query.limit };
  };
  const writeWhole = (format: Format) => writeList(format, factsOf({}, catalogue().length), [catalogue()]);
  const whole = { json: keepBody(() => writeWhole("json")), xml: keepBody(() => writeWhole("xml")) };
  /** What the whole list says determines every part of it, in either format. */
  const etagBase = (): Promise<string> => {
    etag ??= toEtag(whole.json.plain());
    return etag;
  };

  return async function list(exchange: Exchange): Promise<Response> {
    const { headers, url } = exchange.request;
    const format = exchange.format ?? negotiateFormat(headers.get("accept"));
    if (format === undefined) return problem(exchange, "not-acceptable", unacceptable);
    const query = parseQuery(url, listQuery);
    if (!query.success) return problem(exchange, "bad-parameter", query.details);
    if (query.value.source !== "catalogue" && record?.list !== undefined && record.count !== undefined) {
      if (seesEvaluated === undefined || seesEvaluated(headers.get("authorization"))) {
        return listWithRecord(exchange, format, query.value);
      }
      if (query.value.source === "evaluated") {
        return problem(exchange, "unauthorized", hidden, { "www-authenticate": "Bearer" });
      }
    }
    return listCatalogue(exchange, format, query.value);
  };

  function varyOf(exchange: Exchange): string[] {
    const vary = exchange.format === undefined ? ["Accept"] : [];
    if (seesEvaluated !== undefined && record?.list !== undefined) vary.push("Authorization");
    return vary;
  }

  async function listCatalogue(exchange: Exchange, format: Format, query: ListQuery): Promise<Response> {
    const facts = {
      contentType: contentTypes[format],
      etag: (await etagBase()).replace(/"$/, `-${format}"`),
      vary: varyOf(exchange),
    };
    const { source, ...filters } = query;
    if (source !== "evaluated" && Object.keys(filters).length === 0) return answerCoded(exchange, facts, whole[format]);
    const body = (): Body => {
      const found = source === "evaluated" ? [] : filter(catalogue(), query);
      const { offset = 0, limit = found.length } = query;
      const items = found.slice(offset, offset + limit);
      const pieces = writeList(format, factsOf(query, found.length), [items]);
      return items.length <= itemsPerPiece ? [...pieces].join("") : toStream(pieces);
    };
    return answerCoded(exchange, facts, { plain: body, gzip: () => toGzip(body()) });
  }

  /** No validator: what is recorded changes with every Check, its times and counts with it. */
  async function listWithRecord(exchange: Exchange, format: Format, query: ListQuery): Promise<Response> {
    const recordQuery = toRecordQuery(query);
    const found = query.source === "evaluated" ? [] : filter(catalogue(), query);
    let recorded: number | undefined;
    try {
      recorded = await record?.count?.(recordQuery);
    } catch {
      if (query.source === "evaluated") return problem(exchange, "record-unavailable", unavailable);
    }
    const facts = {
      ...factsOf(query, found.length + (recorded ?? 0)),
      ...(recorded === undefined && { incomplete: true as const }),
    };
    const pages = (): AsyncIterable<readonly ListedItem[]> => {
      const recordPages = recorded === undefined ? undefined : record?.list?.(recordQuery);
      return cutPages(found, recordPages, query.offset ?? 0, query.limit ?? Number.POSITIVE_INFINITY);
    };
    const body = () => toStream(writeList(format, facts, pages()));
    const answerFacts = { contentType: contentTypes[format], vary: varyOf(exchange), isPrivate: true };
    return answerCoded(exchange, answerFacts, { plain: body, gzip: () => toGzip(body()) });
  }
}

/** The items from `offset` on, at most `limit`; what is not needed of the record is not read. */
async function* cutPages(
  found: readonly ListedItem[],
  recorded: AsyncIterable<readonly RecordedString[]> | undefined,
  offset: number,
  limit: number,
): AsyncGenerator<readonly ListedItem[]> {
  const first = found.slice(offset, offset + limit);
  yield first;
  let skip = Math.max(0, offset - found.length);
  let left = limit - first.length;
  if (left <= 0 || recorded === undefined) return;
  for await (const page of recorded) {
    const rows = page.slice(skip, skip + left);
    skip = Math.max(0, skip - page.length);
    left -= rows.length;
    if (rows.length > 0) yield rows.map(toItem);
    if (left <= 0) return;
  }
}

function toItem({ cut, count, firstSeen, lastSeen, ...verdict }: RecordedString): ListedItem {
  return {
    ...verdict,
    source: "evaluated",
    count,
    firstSeen: new Date(firstSeen).toISOString(),
    lastSeen: new Date(lastSeen).toISOString(),
    ...(cut && { cut }),
  };
}

function toRecordQuery({ q, category, crawler }: ListQuery) {
  return {
    ...(q !== undefined && q !== "" && { q }),
    ...(category !== undefined && { category }),
    ...(crawler !== undefined && { crawler }),
  };
}

function filter(items: readonly ListedItem[], { q, category, crawler }: ListQuery): readonly ListedItem[] {
  const needle = q?.toLowerCase() ?? "";
  if (needle === "" && category === undefined && crawler === undefined) return items;
  return items.filter(
    (item) =>
      (crawler === undefined || item.crawler === crawler) &&
      (category === undefined || item.category === category) &&
      (needle === "" || item.useragent.toLowerCase().includes(needle)),
  );
}
