/**
 * The items as text in a generated module, without what can be derived from other facts, to make bundles smaller. The first
 * line has the kinds, a JSON list of facts that many items share. Each other line is an item: the character of its kind, and its
 * columns between tabs.
 */
import { escapeLiteral } from "../../pattern/parse.ts";
import type { Writable } from "../../text/writable.ts";
import type { ItemFacts, ItemList } from "../compiled-catalogue.ts";

/** Kinds are numbered from this character. */
const firstKind = 0x30;
/** The beginning of an address is encoded as a digit. */
const beginnings = ["https://www.", "https://", "http://www.", "http://", ""];

/** Writes items; an item that the columns cannot express gets a kind of its own. */
export function toItemsText(items: readonly ItemFacts[]): string {
  const kinds = new Map<string, number>();
  const charOf = (kind: object): string => {
    const key = JSON.stringify(kind);
    if (!kinds.has(key)) kinds.set(key, firstKind + kinds.size);
    return String.fromCharCode(kinds.get(key)!);
  };
  const lines = items.map((item) => {
    const { name, url, operator, maker, pattern, ...kind } = item;
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

/** Writes an index of names in lines without the literals that are the items' names; the first letter stands for either case. */
export function toIndexText(nameIndex: readonly string[], items: readonly ItemFacts[]): string {
  const lines = nameIndex.map((line, i) => {
    const literal = literalOf(items[i]!.name ?? "");
    return line.startsWith("\t") && line.slice(3) === literal ? line.slice(0, 3) : line;
  });
  return lines.join("\n");
}

/** Reads what toIndexText wrote; `items` is the text of toItemsText. */
export function readIndexText(text: string, items: string): string[] {
  const lines = items.split("\n");
  return text
    .split("\n")
    .map((line, i) => (/^\t..$/.test(line) ? line + literalOf(/^.([^\t]*)/.exec(lines[i + 1]!)![1]!) : line));
}

function literalOf(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** The name, the address, the operator or `=` and the maker, and the pattern; without empty columns at the end. */
function toColumns({ url, operator, maker, pattern, operatorDerived }: ItemFacts, name: string): string {
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
  ];
  while (columns.at(-1) === "") columns.pop();
  return columns.join("\t");
}

function fromColumns(kind: Partial<ItemFacts>, columns: string): ItemFacts {
  if (columns === "") return kind as ItemFacts;
  const [name = "", url, whose, pattern] = columns.split("\t");
  const item: Writable<Partial<ItemFacts>> = { ...kind, name };
  if (url) item.url = beginnings[Number(url[0])]! + expand(url.slice(1), name);
  if (whose?.startsWith("=")) item.maker = expand(whose.slice(1), name);
  else if (whose) item.operator = expand(whose, name);
  else if (item.operatorDerived) item.operator = hostOf(item.url)!;
  item.pattern = expand(pattern || "<", name, escapeLiteral);
  return item as ItemFacts;
}

/**
 * What three special characters, which facts do not contain, stand for: the name, the name in lowercase, and the name without generic
 * words.
 */
function formsOf(name: string): readonly [whole: string, lower: string, core: string] {
  const lower = name.toLowerCase();
  return [name, lower, lower.replace(/bot$|crawler$|spider$|[^a-z0-9]/g, "")];
}

const marks = "<>`";

function expand(fact: string, name: string, toWhole = (whole: string): string => whole): string {
  return fact.replace(/[<>`]/g, (mark) => (mark === "<" ? toWhole(name) : formsOf(name)[marks.indexOf(mark)]!));
}

/** The host of an address, without `www.`; not by URL, which takes ten times as long. */
function hostOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https?:\/\/(?:www[0-9]?\.)?([^/?#]+)/.exec(url)?.[1];
}

function isSame(one: ItemFacts, other: ItemFacts): boolean {
  const sorted = (item: ItemFacts): string => JSON.stringify(Object.entries(item).sort());
  return sorted(one) === sorted(other);
}
