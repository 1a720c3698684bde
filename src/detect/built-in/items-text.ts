/** The items as text in a generated module, without what follows from their other facts: so that bundles are smaller. */
import { escapeLiteral } from "../../pattern/parse.ts";
import type { ItemFacts } from "../compiled-catalogue.ts";

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** An item without its pattern, where that begins with the name: then what follows the name, if anything does. */
type StoredItem = Writable<Partial<ItemFacts>> & { behindName?: string };

/**
 * Writes items as JSON. Left out are names at the beginnings of patterns, lengths of matches that differ from that of the pattern
 * only by backslashes, and derived operators that are the host of `url`.
 */
export function toItemsText(items: readonly ItemFacts[]): string {
  return JSON.stringify(
    items.map((item): StoredItem => {
      const { name, operator, pattern, match = pattern.length, ...others } = item;
      const literal = name === undefined ? undefined : escapeLiteral(name);
      const isNamed = literal !== undefined && pattern.startsWith(literal);
      const isHost = item.operatorDerived === true && operator === hostOf(item.url);
      return {
        ...(name === undefined ? {} : { name }),
        ...(operator === undefined || isHost ? {} : { operator }),
        ...others,
        ...(!isNamed ? { pattern } : pattern === literal ? {} : { behindName: pattern.slice(literal.length) }),
        ...(match === unescapedLength(pattern) ? {} : { match }),
      };
    }),
  );
}

/** Reads what toItemsText wrote. */
export function fromItemsText(text: string): ItemFacts[] {
  return (JSON.parse(text) as StoredItem[]).map(({ behindName = "", ...item }) => {
    item.pattern ??= escapeLiteral(item.name!) + behindName;
    const length = unescapedLength(item.pattern);
    if (item.match === undefined && length !== item.pattern.length) item.match = length;
    if (item.operatorDerived && item.operator === undefined) item.operator = hostOf(item.url)!;
    return item as ItemFacts;
  });
}

function unescapedLength(pattern: string): number {
  return pattern.replaceAll(/\\(.)/g, "$1").length;
}

/** The host of an address, without `www.`; not by URL, which takes ten times as long. */
function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https?:\/\/(?:www[0-9]?\.)?([^/?#]+)/.exec(url)?.[1];
}
