/** Makes the verdict on a crawler's string: its name, its facts, and the part of the string that matched. */

import type { Writable } from "../text/writable.ts";
import type { IdentifyingTables, ItemFacts } from "./compiled-catalogue.ts";
import { addFacts } from "./facts.ts";
import { noteEntry } from "./matched-entry.ts";
import { type Found, NameIndex } from "./name-index.ts";
import { nameAt, productOf } from "./naming/name-at.ts";
import type { CrawlerVerdict } from "./verdict.ts";

/** Makes the function that describes crawlers. */
export function createIdentifier({ nameIndex, items }: IdentifyingTables): (useragent: string) => CrawlerVerdict {
  const index = new NameIndex(nameIndex);
  // Created when first needed: most items never name a crawler in a process. Not `new Array`, because engines access sparse arrays more
  // slowly.
  const cachedItems: (CachedItem | undefined)[] = Array.from({ length: items.length });
  return (useragent) => {
    // Every crawler's string matches an item; test/detect/differential.test.ts would fail otherwise.
    const found = index.find(useragent) ?? { item: items.length - 1, from: 0, to: useragent.length };
    const item = cachedItems[found.item] ?? toCachedItem(items.at(found.item)!);
    cachedItems[found.item] = item;
    return describe(item, useragent, item.part === undefined ? found : findPart(item.part, useragent, found));
  };
}

/** What verdicts need of an item. */
interface CachedItem {
  readonly facts: ItemFacts;
  readonly name: string | undefined;
  readonly pattern: string;
  /** Finds the part of a rule's match that verdicts show, if that is not the whole match. */
  readonly part: RegExp | undefined;
  /** Whether the first token of a match is the name. */
  readonly beginsWithName: boolean;
  /** Whether it is the entry of a library or a framework: the program that uses it is the name. */
  readonly isLibrary: boolean;
  /** Whether it is a rule that finds code, whose words are not names. */
  readonly isCode: boolean;
}

function toCachedItem(item: ItemFacts): CachedItem {
  const { name, pattern, category } = item;
  const part = item.part ?? item.match;
  return {
    facts: item,
    name,
    pattern,
    // linear: consists of the catalogue's patterns
    part: part === undefined ? undefined : new RegExp(part, "g"),
    beginsWithName: pattern.startsWith("^") && item.part === undefined,
    isLibrary: name !== undefined && category === "library",
    isCode: name === undefined && category === "security",
  };
}

/** The first occurrence of a part: the rest of an expression says where it counts. */
function findPart(part: RegExp, useragent: string, { item, from, to }: Found): Found {
  part.lastIndex = from;
  const found = part.exec(useragent);
  return found === null ? { item, from, to } : { item, from: found.index, to: part.lastIndex };
}

/** Assigned one by one: building the object by spreading takes several times longer. */
function describe(item: CachedItem, useragent: string, { from, to }: Found): CrawlerVerdict {
  const verdict: Partial<Writable<CrawlerVerdict>> = { useragent, crawler: true };
  const product = item.isLibrary ? productOf(useragent, from) : undefined;
  const isOther = product !== undefined && !item.name!.startsWith(product);
  if (isOther) noteEntry(verdict, item.name!);
  const name =
    (isOther ? product : item.name) ??
    (item.isCode ? undefined : nameAt(useragent, from, item.beginsWithName && to < useragent.length ? from + 1 : to));
  if (name !== undefined) verdict.name = name;
  addFacts(item.facts, verdict);
  verdict.pattern = item.pattern;
  verdict.match = useragent.slice(from, to);
  return verdict as CrawlerVerdict;
}
