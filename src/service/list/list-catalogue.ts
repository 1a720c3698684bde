/**
 * The catalogue's own strings as List shows them. Verdicts and the whole list are worked out when first asked for, once.
 */

import type { Detector } from "../../detect/verdict.ts";
import { type AnswerFormat, answerFormatNames } from "../../http/formats.ts";
import { type KeptBody, keepBody } from "../../http/pieces.ts";
import { toEtag } from "../../http/representation.ts";
import { verdictWriters } from "../describe/verdict-writers.ts";
import type { ListedItem, ListFacts } from "../schemas.ts";
import type { ListRequest } from "./list-query.ts";
import { writeList } from "./list-writer.ts";

export interface CatalogueList {
  items(): readonly ListedItem[];
  /** What heads a list with this query. */
  factsOf(query: ListRequest, total: number | undefined): ListFacts;
  /** The whole list in each format. */
  readonly whole: Readonly<Record<AnswerFormat, KeptBody>>;
  /** The validator of every part of the list. */
  etagOf(format: AnswerFormat): string;
}

/** Makes the list of a detector's strings. */
export function createCatalogueList(detector: Detector): CatalogueList {
  let evaluated: readonly ListedItem[] | undefined;
  let etag: string | undefined;
  const items = (): readonly ListedItem[] => {
    evaluated ??= detector.strings().map((useragent) => ({ ...detector.check(useragent), source: "catalogue" }));
    return evaluated;
  };
  const factsOf = (query: ListRequest, total: number | undefined): ListFacts => {
    return { version: detector.version, total, offset: query.offset ?? 0, limit: query.limit };
  };
  const keepWhole = (format: AnswerFormat) =>
    keepBody(() => writeList(verdictWriters[format], factsOf({}, items().length), [items()]));
  const whole = Object.fromEntries(answerFormatNames.map((format) => [format, keepWhole(format)])) as Record<
    AnswerFormat,
    KeptBody
  >;
  /** The whole list determines each part of it. */
  const etagOf = (format: AnswerFormat): string => {
    etag ??= toEtag(JSON.stringify([detector.version, items()]));
    return etag.replace(/"$/, `-${format}"`);
  };
  return { items, factsOf, whole, etagOf };
}
