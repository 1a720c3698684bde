/** The entries and rules that this package was built with, and functions on them. */
import { nameIndex as indexText, items as itemsText } from "../../generated/naming.ts";
import type { ItemFacts, ItemList } from "../compiled-catalogue.ts";
import { readIndexText, readItemsText } from "./items-text.ts";

export { wellKnown } from "../../generated/well-known.ts";

let list: ItemList | undefined;
let parsed: readonly ItemFacts[] | undefined;

/** Every entry and rule, in the order of precedence. */
export function items(): readonly ItemFacts[] {
  parsed ??= Array.from({ length: itemList().length }, (_, index) => itemList().at(index)!);
  return parsed;
}

/** The same, each decoded on access, because naming a crawler needs only a few. */
export function itemList(): ItemList {
  list ??= readItemsText(itemsText);
  return list;
}

/** The index by which crawlers are named, a line for each item; read at each call. */
export function nameIndex(): readonly string[] {
  return readIndexText(indexText, itemsText);
}
