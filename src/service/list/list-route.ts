/**
 * List: the catalogue's strings and the evaluated ones, each with verdict and source, filtered and limited by the query.
 * list-writer.ts writes them.
 */

import type { Answer, Handler, RequestContext, Route } from "../../http/context.ts";
import { type AnswerFormat, answerFormats } from "../../http/formats.ts";
import type { Operation } from "../../http/operation.ts";
import { inTurn, toBody } from "../../http/pieces.ts";
import { Problem } from "../../http/problems.ts";
import { parseQuery, refuseUnknown } from "../../http/query.ts";
import { answerCoded, responseFormatOf } from "../../http/representation.ts";
import type { Deps } from "../deps.ts";
import {
  contents,
  type FormatChoice,
  guarded,
  inEveryFormat,
  parameters,
  problemResponses,
} from "../describe/openapi-parts.ts";
import { verdictWriters } from "../describe/verdict-writers.ts";
import { type CatalogueList, createCatalogueList } from "./list-catalogue.ts";
import { filter, type ListRequest, listParameters, partOf, toRecordQuery } from "./list-query.ts";
import { createRecordWait, joinPages, type RecordWait, writeList } from "./list-writer.ts";

const hidden = "Recorded strings are shown only to callers with a token: Authorization: Bearer …";

/** Makes the three routes of List. */
export function createListRoutes(deps: Deps): Route[] {
  const catalogue = createCatalogueList(deps.detector);
  const { prepare } = catalogue;
  return inEveryFormat(
    { path: "/RestService/List", method: "GET", prepare, handler: createList(deps, catalogue) },
    describeList,
  );
}

function createList(deps: Deps, { items: catalogue, factsOf, whole, etagOf }: CatalogueList): Handler {
  const { record, mayRead, limits, takeList } = deps;

  return function list(context) {
    const format = responseFormatOf(context);
    refuseUnknown(context.request.query, listParameters);
    const query = parseQuery(context.request.query, listParameters);
    if (query.source !== "catalogue" && record?.list !== undefined) {
      const seesRecord = mayRead === undefined || mayRead(context.request.headers.get("authorization"));
      if (seesRecord) return listWithRecord(context, format, query);
      if (query.source === "evaluated") throw new Problem("unauthorized", hidden, { "www-authenticate": "Bearer" });
    }
    return listCatalogue(context, format, query);
  };

  function varyOf(context: RequestContext): string[] {
    const vary = context.format === undefined ? ["Accept"] : [];
    if (mayRead !== undefined && record?.list !== undefined) vary.push("Authorization");
    return vary;
  }

  async function listCatalogue(context: RequestContext, format: AnswerFormat, query: ListRequest): Promise<Answer> {
    const facts = { contentType: answerFormats[format].contentType, etag: etagOf(format), vary: varyOf(context) };
    const { source, ...filters } = query;
    if (source !== "evaluated" && Object.keys(filters).length === 0) {
      const { plain, gzip } = whole[format];
      return answerCoded(
        context,
        facts,
        () => inTurn(plain()),
        () => inTurn(gzip()),
      );
    }
    const pieces = () => {
      const found = source === "evaluated" ? [] : filter(catalogue(), query);
      return writeList(verdictWriters[format], factsOf(query, found.length), [partOf(found, query)]);
    };
    return answerCoded(context, facts, () => toBody(pieces, takeList(context.request, 1)));
  }

  /** No validator, because every Check changes the record's times and counts. */
  function listWithRecord(context: RequestContext, format: AnswerFormat, query: ListRequest): Promise<Answer> {
    const facts = { contentType: answerFormats[format].contentType, vary: varyOf(context), isPrivate: true };
    const pieces = async () => {
      const found = query.source === "evaluated" ? [] : filter(catalogue(), query);
      const recordQuery = toRecordQuery(query);
      const wait = createRecordWait(limits.listTimeoutMs);
      const counted = await countRecorded(wait, recordQuery, query.source === "evaluated");
      const total = counted.total === undefined ? undefined : found.length + counted.total;
      const { dropped = 0 } = record?.status?.() ?? {};
      const head = {
        ...factsOf(query, total),
        ...(!counted.isReadable && { incomplete: true as const }),
        ...(dropped > 0 && { dropped }),
      };
      const items = partOf(found, query);
      const offset = Math.max(0, (query.offset ?? 0) - found.length);
      const limit = (query.limit ?? Number.POSITIVE_INFINITY) - items.length;
      const rows = counted.isReadable && limit > 0 ? record?.list?.({ ...recordQuery, offset, limit }) : undefined;
      return writeList(verdictWriters[format], head, joinPages(items, rows && wait.pages(rows)));
    };
    return answerCoded(context, facts, () => toBody(pieces, takeList(context.request, 1)));
  }

  /** The number of matching recorded strings, if known. Throws a Problem if the record must be readable and is not. */
  async function countRecorded(wait: RecordWait, query: ReturnType<typeof toRecordQuery>, isNeeded: boolean) {
    try {
      return { isReadable: true, total: await wait.waitFor(Promise.resolve(record?.count?.(query))) };
    } catch (error) {
      if (isNeeded || !(error instanceof Problem && error.problem === "record-unavailable")) throw error;
      return { isReadable: false, total: 0 };
    }
  }
}

function describeList({ formats: names, how, problems }: FormatChoice): Omit<Operation, "operationId"> {
  return {
    tags: ["List"],
    summary: "List the user agent strings of the catalogue and the record, with verdicts",
    description:
      `${how} Compressed with gzip for clients that accept it. ` +
      "First the catalogue's strings, then the recorded ones, the most recently seen first.",
    parameters: parameters(listParameters),
    responses: {
      200: { description: "The strings that match the filters.", content: contents(names, "List") },
      304: { description: "The client's copy is current (`If-None-Match`)." },
      ...problemResponses(names, [
        "bad-parameter",
        ...guarded,
        ...problems,
        "record-unavailable",
        "list-timeout",
        "too-many-lists",
      ]),
    },
  };
}
