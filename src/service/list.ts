/**
 * List: the catalogue's strings and the evaluated ones, each with verdict and source, filtered and limited by the query.
 * list-writer.ts writes them.
 */
import { categories } from "../catalogue/entry.ts";
import type { Detector } from "../detect/verdict.ts";
import type { Answer, Body } from "./answer.ts";
import type { Handler, RequestContext } from "./context.ts";
import { type Format, formatNames, formats } from "./formats.ts";
import type { ListSlot } from "./list-slots.ts";
import {
  createRecordWait,
  joinPages,
  type KeptBody,
  keepBody,
  type Pieces,
  type RecordWait,
  toBody,
  writeList,
} from "./list-writer.ts";
import { type ListedItem, type ListFacts, sources } from "./members.ts";
import type { RecordKeeper } from "./options.ts";
import { Problem } from "./problems.ts";
import { anyText, itemCount, oneWord, parseQuery, type Query, trueOrFalse } from "./query.ts";
import { answerCoded, formatOf, toEtag } from "./representation.ts";

/** What List needs to know. */
export interface ListParts {
  readonly detector: Detector;
  readonly record: RecordKeeper | undefined;
  readonly seesEvaluated: ((authorization: string | null) => boolean) | undefined;
  /** For how long a list may wait for the record in all. */
  readonly listTimeoutMs: number;
  /** Takes a place among the lists that are made at once. */
  readonly takeSlot: () => ListSlot | undefined;
}

/** The parameters of List. */
export const listParameters = {
  limit: itemCount("Maximum number of items; default: all.", 100),
  offset: itemCount("Number of items to skip; default 0.", 0),
  q: anyText("Only strings that contain this text; case is ignored.", "Googlebot"),
  category: oneWord(categories, "Only strings of crawlers of this category."),
  crawler: trueOrFalse("Only strings that are (`true`) or are not (`false`) crawlers'."),
  source: oneWord(sources, "Only strings of the catalogue, or only those that Check was asked about."),
};
type ListRequest = Query<typeof listParameters>;

const hidden = "Recorded strings are shown to callers with a token: Authorization: Bearer …";
const unavailable = "The record cannot be read now; the catalogue's strings are at ?source=catalogue.";
const busy = "The maximum number of lists is being sent; retry in one second.";

/** Makes the handler of the three List paths. Verdicts and the whole list are worked out when first asked for, once. */
export function createList({ detector, record, seesEvaluated, listTimeoutMs, takeSlot }: ListParts): Handler {
  let evaluated: readonly ListedItem[] | undefined;
  let etag: string | undefined;
  const catalogue = (): readonly ListedItem[] => {
    evaluated ??= detector.strings().map((useragent) => ({ ...detector.check(useragent), source: "catalogue" }));
    return evaluated;
  };
  const factsOf = (query: ListRequest, total: number | undefined): ListFacts => {
    return { version: detector.version, total, offset: query.offset ?? 0, limit: query.limit };
  };
  const keepWhole = (format: Format) =>
    keepBody(() => writeList(formats[format], factsOf({}, catalogue().length), [catalogue()]));
  const whole = Object.fromEntries(formatNames.map((format) => [format, keepWhole(format)])) as Record<
    Format,
    KeptBody
  >;
  /** What the whole list says determines every part of it. */
  const etagOf = (format: Format): string => {
    etag ??= toEtag(JSON.stringify([detector.version, catalogue()]));
    return etag.replace(/"$/, `-${format}"`);
  };

  return function list(context) {
    const format = formatOf(context);
    const query = parseQuery(context.request.query, listParameters);
    if (query.source !== "catalogue" && record?.list !== undefined) {
      const seesRecord = seesEvaluated === undefined || seesEvaluated(context.request.headers.get("authorization"));
      if (seesRecord) return listWithRecord(context, format, query);
      if (query.source === "evaluated") throw new Problem("unauthorized", hidden, { "www-authenticate": "Bearer" });
    }
    return listCatalogue(context, format, query);
  };

  function varyOf(context: RequestContext): string[] {
    const vary = context.format === undefined ? ["Accept"] : [];
    if (seesEvaluated !== undefined && record?.list !== undefined) vary.push("Authorization");
    return vary;
  }

  function listCatalogue(context: RequestContext, format: Format, query: ListRequest): Promise<Answer> {
    const facts = {
      contentType: formats[format].contentType,
      etag: etagOf(format),
      vary: varyOf(context),
    };
    const { source, ...filters } = query;
    if (source !== "evaluated" && Object.keys(filters).length === 0) {
      return answerCoded(context, facts, whole[format].plain, whole[format].gzip);
    }
    const pieces = () => {
      const found = source === "evaluated" ? [] : filter(catalogue(), query);
      return writeList(formats[format], factsOf(query, found.length), [cut(found, query)]);
    };
    return answerCoded(context, facts, () => make(pieces));
  }

  /** No validator: what is recorded changes with every Check, its times and counts with it. */
  function listWithRecord(context: RequestContext, format: Format, query: ListRequest): Promise<Answer> {
    const facts = { contentType: formats[format].contentType, vary: varyOf(context), isPrivate: true };
    const pieces = async () => {
      const found = query.source === "evaluated" ? [] : filter(catalogue(), query);
      const recordQuery = toRecordQuery(query);
      const wait = createRecordWait(listTimeoutMs);
      const counted = await countRecorded(wait, recordQuery, query.source === "evaluated");
      const total = counted.total === undefined ? undefined : found.length + counted.total;
      const head = { ...factsOf(query, total), ...(counted.isReadable ? undefined : { incomplete: true as const }) };
      const items = cut(found, query);
      const offset = Math.max(0, (query.offset ?? 0) - found.length);
      const limit = (query.limit ?? Number.POSITIVE_INFINITY) - items.length;
      const rows = counted.isReadable && limit > 0 ? record?.list?.({ ...recordQuery, offset, limit }) : undefined;
      return writeList(formats[format], head, joinPages(items, rows && wait.pages(rows)));
    };
    return answerCoded(context, facts, () => make(pieces));
  }

  /** The number of matching recorded strings, if known. Throws a Problem if the record must be readable and is not. */
  async function countRecorded(wait: RecordWait, query: ReturnType<typeof toRecordQuery>, isNeeded: boolean) {
    try {
      return { isReadable: true, total: await wait.within(Promise.resolve(record?.count?.(query))) };
    } catch (error) {
      if (error instanceof Problem) throw error;
      if (isNeeded) throw new Problem("record-unavailable", unavailable);
      return { isReadable: false, total: 0 };
    }
  }

  /** Makes a list if a slot is free; else throws a Problem. */
  function make(pieces: () => Pieces | Promise<Pieces>): Promise<Body> {
    const slot = takeSlot();
    if (slot === undefined) throw new Problem("too-many-lists", busy, { "retry-after": "1" });
    return toBody(pieces, slot);
  }
}

function cut(items: readonly ListedItem[], { offset = 0, limit = items.length }: ListRequest): readonly ListedItem[] {
  return items.slice(offset, offset + limit);
}

function toRecordQuery({ q, category, crawler }: ListRequest) {
  return {
    ...(q !== undefined && q !== "" && { q }),
    ...(category !== undefined && { category }),
    ...(crawler !== undefined && { crawler }),
  };
}

function filter(items: readonly ListedItem[], { q, category, crawler }: ListRequest): readonly ListedItem[] {
  const needle = q?.toLowerCase() ?? "";
  if (needle === "" && category === undefined && crawler === undefined) return items;
  return items.filter(
    (item) =>
      (crawler === undefined || item.crawler === crawler) &&
      (category === undefined || item.category === category) &&
      (needle === "" || item.useragent.toLowerCase().includes(needle)),
  );
}
