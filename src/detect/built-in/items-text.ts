/**
 * The items as text in a generated module, without what follows from their other facts: so that bundles are smaller. The first
 * line has the kinds, a JSON list of facts that many items share. Each other line is an item: the character of its kind, and its
 * columns between tabs.
 */
import { escapeLiteral } from "../../pattern/parse.ts";
import type { ItemFacts, ItemList } from "../compiled-catalogue.ts";

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Kinds are counted from this character on. */
const firstKind = 0x30;
/** An address begins with the digit of its beginning. */
const beginnings = ["https://www.", "https://", "http://www.", "http://", ""];

/** Writes items; an item that the columns cannot express is a kind of its own. */
export function toItemsText(items: readonly ItemFacts[]): string {
  const kinds = new Map<string, number>();
  const charOf = (kind: object): string => {
    const key = JSON.stringify(kind);
    if (!kinds.has(key)) kinds.set(key, firstKind + kinds.size);
    return String.fromCharCode(kinds.get(key)!);
  };
  const lines = items.map((item) => {
    const { name, url, operator, maker, pattern, match, ...kind } = item;
    const columns = name === undefined ? "" : toColumns(item, name);
    return isSame(fromColumns(kind, columns), item) ? charOf(kind) + columns : charOf(item);
  });
  return [`[${[...kinds.keys()].join(",")}]`, ...lines].join("\n");
}

/** Reads what toItemsText wrote; an item is decoded each time it is asked for. */
export function readItemsText(text: string): ItemList {
  const [kinds, ...lines] = text.split("\n");
  const facts = JSON.parse(kinds!) as Partial<ItemFacts>[];
  return {
    length: lines.length,
    at: (index) => fromColumns(facts[lines[index]!.charCodeAt(0) - firstKind]!, lines[index]!.slice(1)),
  };
}

/** The name, the address, the operator or `=` and the maker, the pattern and the match; without empty columns at the end. */
function toColumns({ url, operator, maker, pattern, match, operatorDerived }: ItemFacts, name: string): string {
  const [whole, lower, core] = formsOf(name);
  const shorten = (fact: string, full = whole): string =>
    fact
      .replaceAll(full, "<")
      .replaceAll(lower, ">")
      .replaceAll(core === "" ? lower : core, "`");
  const begin = beginnings.findIndex((beginning) => url?.startsWith(beginning));
  const shortPattern = shorten(pattern, escapeLiteral(name));
  const columns = [
    name,
    url === undefined ? "" : begin + shorten(url.slice(beginnings[begin]!.length)),
    maker !== undefined
      ? `=${shorten(maker)}`
      : operator === undefined || (operatorDerived && operator === hostOf(url))
        ? ""
        : shorten(operator),
    shortPattern === "<" ? "" : shortPattern,
    (match ?? pattern.length) === unescapedLength(pattern) ? "" : String(match ?? pattern.length),
  ];
  while (columns.at(-1) === "") columns.pop();
  return columns.join("\t");
}

function fromColumns(kind: Partial<ItemFacts>, columns: string): ItemFacts {
  if (columns === "") return kind as ItemFacts;
  const [name = "", url, whose, pattern, match] = columns.split("\t");
  const item: Writable<Partial<ItemFacts>> = { ...kind, name };
  if (url) item.url = beginnings[Number(url[0])]! + expand(url.slice(1), name);
  if (whose?.startsWith("=")) item.maker = expand(whose.slice(1), name);
  else if (whose) item.operator = expand(whose, name);
  else if (item.operatorDerived) item.operator = hostOf(item.url)!;
  item.pattern = expand(pattern || "<", name, escapeLiteral);
  const length = match ? (/^\d+$/.test(match) ? Number(match) : match) : unescapedLength(item.pattern);
  if (length !== item.pattern.length) item.match = length;
  return item as ItemFacts;
}

/** What three characters stand for, which facts do not contain: the name, in small letters, and without words of all crawlers. */
function formsOf(name: string): readonly [whole: string, lower: string, core: string] {
  const lower = name.toLowerCase();
  return [name, lower, lower.replace(/bot$|crawler$|spider$|[^a-z0-9]/g, "")];
}

const marks = "<>`";

function expand(fact: string, name: string, toWhole = (whole: string): string => whole): string {
  return fact.replace(/[<>`]/g, (mark) => (mark === "<" ? toWhole(name) : formsOf(name)[marks.indexOf(mark)]!));
}

function unescapedLength(pattern: string): number {
  return pattern.includes("\\") ? pattern.replace(/\\(.)/g, "$1").length : pattern.length;
}

/** The host of an address, without `www.`; not by URL, which takes ten times as long. */
function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https?:\/\/(?:www[0-9]?\.)?([^/?#]+)/.exec(url)?.[1];
}

function isSame(one: ItemFacts, other: ItemFacts): boolean {
  const sorted = (item: ItemFacts): string => JSON.stringify(Object.entries(item).sort());
  return sorted(one) === sorted(other);
}
