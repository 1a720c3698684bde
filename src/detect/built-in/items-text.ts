/** The items as text in a generated module, without what follows from their other facts: so that bundles are smaller. */
import { escapeLiteral } from "../../pattern/parse.ts";
import type { ItemFacts } from "../compiled-catalogue.ts";

type StoredItem = Omit<ItemFacts, "pattern"> & Partial<Pick<ItemFacts, "pattern">>;

/** Writes items as JSON; leaves out patterns that are the name, and derived operators that are the host of `url`. */
export function toItemsText(items: readonly ItemFacts[]): string {
  return JSON.stringify(
    items.map((item): StoredItem => {
      const { name, pattern, match, operator, ...stored } = item;
      const isNamed =
        name !== undefined && pattern === escapeLiteral(name) && (match ?? pattern.length) === name.length;
      const isHost = item.operatorDerived === true && operator === hostOf(item.url);
      return {
        ...(name === undefined ? {} : { name }),
        ...(operator === undefined || isHost ? {} : { operator }),
        ...stored,
        ...(isNamed ? {} : { pattern }),
        ...(match === undefined || isNamed ? {} : { match }),
      };
    }),
  );
}

/** Reads what toItemsText wrote. */
export function fromItemsText(text: string): ItemFacts[] {
  const items = JSON.parse(text) as (StoredItem & { pattern?: string; match?: number | string; operator?: string })[];
  for (const item of items) {
    if (item.pattern === undefined) {
      item.pattern = escapeLiteral(item.name!);
      if (item.pattern.length !== item.name!.length) item.match = item.name!.length;
    }
    if (item.operatorDerived && item.operator === undefined) item.operator = hostOf(item.url)!;
  }
  return items as ItemFacts[];
}

/** The host of an address, without `www.`; not by URL, which takes ten times as long. */
function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https?:\/\/(?:www[0-9]?\.)?([^/?#]+)/.exec(url)?.[1];
}
