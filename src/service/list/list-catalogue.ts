/**
 * The catalogue's own strings as List shows them. Verdicts and the whole list are worked out when first asked for, once.
 */
import type { Detector } from "../../detect/verdict.ts";
import { type Format, formatNames, formats } from "../describe/answer-formats.ts";
import type { ListedItem, ListFacts } from "../describe/members.ts";
import { toEtag } from "../http/representation.ts";
import type { ListRequest } from "./list-query.ts";
import { type KeptBody, keepBody, writeList } from "./list-writer.ts";

export interface CatalogueList {
  items(): readonly ListedItem[];
  /** What heads a list with this query. */
  factsOf(query: ListRequest, total: number | undefined): ListFacts;
  /** The whole list in each format. */
  readonly whole: Readonly<Record<Format, KeptBody>>;
  /** The validator of every part of the list. */
  etagOf(format: Format): string;
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
  const keepWhole = (format: Format) =>
    keepBody(() => writeList(formats[format], factsOf({}, items().length), [items()]));
  const whole = Object.fromEntries(formatNames.map((format) => [format, keepWhole(format)])) as Record<
    Format,
    KeptBody
  >;
  /** The whole list determines each part of it. */
  const etagOf = (format: Format): string => {
    etag ??= toEtag(JSON.stringify([detector.version, items()]));
    return etag.replace(/"$/, `-${format}"`);
  };
  return { items, factsOf, whole, etagOf };
}
