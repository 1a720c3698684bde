/**
 * The query of List: its parameters, and which strings it asks for.
 */
import { categories } from "../../detect/categories.ts";
import { anyText, numberUpTo, oneWord, type Query, trueOrFalse } from "../../http/query.ts";
import type { ListedItem } from "../schemas.ts";

const maxItems = 999_999_999;
const sources: readonly ListedItem["source"][] = ["catalogue", "evaluated"];

/** The parameters of List. */
export const listParameters = {
  limit: numberUpTo(maxItems, "Maximum number of items; default: all.", 100),
  offset: numberUpTo(maxItems, "Number of items to skip; default 0.", 0),
  q: anyText("Only strings that contain this text; case is ignored.", "Googlebot"),
  category: oneWord(categories, "Only strings of crawlers of this category."),
  crawler: trueOrFalse("Only strings that are (`true`) or are not (`false`) crawlers'."),
  source: oneWord(sources, "Only strings of the catalogue, or only those that were checked."),
};
export type ListRequest = Query<typeof listParameters>;

/** The part of the items that a query asks for. */
export function partOf(items: readonly ListedItem[], { offset = 0, limit }: ListRequest): readonly ListedItem[] {
  return items.slice(offset, offset + (limit ?? items.length));
}

/** The same query as the record takes it, without its part. */
export function toRecordQuery({ q, category, crawler }: ListRequest) {
  return {
    ...(q !== undefined && q !== "" && { q }),
    ...(category !== undefined && { category }),
    ...(crawler !== undefined && { crawler }),
  };
}

/** The items that a query's filters let through. */
export function filter(items: readonly ListedItem[], { q, category, crawler }: ListRequest): readonly ListedItem[] {
  const needle = q?.toLowerCase() ?? "";
  if (needle === "" && category === undefined && crawler === undefined) return items;
  return items.filter(
    (item) =>
      (crawler === undefined || item.crawler === crawler) &&
      (category === undefined || item.category === category) &&
      (needle === "" || item.useragent.toLowerCase().includes(needle)),
  );
}
