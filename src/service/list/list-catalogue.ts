/**
 * The catalogue's own strings as List shows them. Verdicts, the validator and the whole list are computed once, on first use.
 */

import { once } from "../../cache/once.ts";
import type { Detector } from "../../detect/verdict.ts";
import { type AnswerFormat, answerFormatNames } from "../../http/formats.ts";
import { type KeptBody, keepBody } from "../../http/pieces.ts";
import { toEtag } from "../../http/representation.ts";
import { verdictsOf } from "../catalogue-verdicts.ts";
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
  /** The validator of every part of the list, which the whole list determines. */
  etagOf(format: AnswerFormat): string;
  /** Computes verdicts and validator in parts, each of which takes a few milliseconds. */
  prepare(): Generator<undefined, void>;
}

/** Strings that are hashed before others get a turn. */
const partLength = 500;

/** Makes the list of a detector's strings. */
export function createCatalogueList(detector: Detector): CatalogueList {
  const items = once(() =>
    verdictsOf(detector)
      .all()
      .map((verdict): ListedItem => ({ ...verdict, source: "catalogue" })),
  );
  const factsOf = (query: ListRequest, total: number | undefined): ListFacts => {
    return { version: detector.version, total, offset: query.offset ?? 0, limit: query.limit };
  };
  const keepWhole = (format: AnswerFormat) =>
    keepBody(() => writeList(verdictWriters[format], factsOf({}, items().length), [items()]));
  const kept = answerFormatNames.map((format) => [format, keepWhole(format)] as const);
  const whole = Object.fromEntries(kept) as CatalogueList["whole"];
  let etag = "";
  function* prepare(): Generator<undefined, void> {
    // One for each format's route.
    if (etag !== "") return;
    const verdicts = verdictsOf(detector);
    yield* verdicts.find();
    const all = verdicts.all();
    let found = toEtag(detector.version);
    for (let from = 0; from < all.length; from += partLength) {
      found = toEtag(found + JSON.stringify(all.slice(from, from + partLength)));
      yield;
    }
    etag = found;
  }
  const etagOf = (format: AnswerFormat) => {
    if (etag === "") for (const _ of prepare());
    return etag.replace(/"$/, `-${format}"`);
  };
  return { items, factsOf, whole, etagOf, prepare };
}
