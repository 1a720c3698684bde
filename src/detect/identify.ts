/** Makes the verdict on a crawler's string: its name, its facts, and the part of the string that matched. */
import { type CompactTable, find } from "./automaton/compact.ts";
import type { ItemFacts, ItemList } from "./compiled-catalogue.ts";
import { addFacts, toUniformFacts, type UniformFacts } from "./facts.ts";
import { nameAt } from "./naming/name-at.ts";
import type { CrawlerVerdict } from "./verdict.ts";

/** Makes the function that describes crawlers; `items` are in the order of precedence, as the outputs of `table` count them. */
export function createIdentifier(table: CompactTable, items: ItemList): (useragent: string) => CrawlerVerdict {
  // Made when they are first needed: most items name no crawler of a process.
  const known = createList<Known>(items.length);
  const locators = createList<Locator>(items.length);
  let anchored: readonly Anchored[] | undefined;
  // Every crawler's string matches an item. If the automaton has no match, it is an anchored rule; the default is the last one.
  const anchoredIn = (useragent: string): number => {
    anchored ??= anchoredOf(items);
    return (anchored.find(({ expression }) => expression.test(useragent)) ?? anchored.at(-1)!).index;
  };
  return (useragent) => {
    const { output, end } = find(table, useragent);
    const index = output > 0 ? output - 1 : anchoredIn(useragent);
    const item = known[index] ?? toKnown(items.at(index)!);
    known[index] = item;
    if (item.length >= 0) return describe(item, useragent, end - item.length, end);
    if (item.length === fromStart) return describe(item, useragent, 0, end);
    const locate = locators[index] ?? createLocator(items.at(index)!);
    locators[index] = locate;
    const [from, to] = locate(useragent, end);
    return describe(item, useragent, from, to);
  };
}

/** Not `new Array`: engines read lists with holes more slowly. */
function createList<Type>(length: number): (Type | undefined)[] {
  return Array.from({ length }, () => undefined);
}

/** A rule that the automaton does not have. */
interface Anchored {
  readonly index: number;
  readonly expression: RegExp;
}

/** The rules that the automaton does not have, in the order of precedence; they are the last items. */
function anchoredOf(items: ItemList): Anchored[] {
  const anchored: Anchored[] = [];
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items.at(index)!;
    if (!item.anchored) break;
    // linear: consists of the catalogue's patterns
    anchored.unshift({ index, expression: new RegExp(String(item.match)) });
  }
  return anchored;
}

/** What verdicts need of an item. */
interface Known extends UniformFacts {
  readonly name: string | undefined;
  readonly pattern: string;
  /** Of every match, in characters; or one of the two below. */
  readonly length: number;
  /** Whether the first token of a match is the name. */
  readonly beginsWithName: boolean;
  /** Whether it is a rule that finds code, whose words are no names. */
  readonly isCode: boolean;
}

/** Every match begins where the string does. */
const fromStart = -1;
/** A locator finds the match. */
const located = -2;

function toKnown(item: ItemFacts): Known {
  const { name, pattern, match = pattern.length } = item;
  const length = typeof match === "number" ? match : match === "^" ? fromStart : located;
  const beginsWithName = item.anchored === true && item.part === undefined;
  const isCode = name === undefined && item.category === "security";
  return { ...toUniformFacts(item), name, pattern, length, beginsWithName, isCode };
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** One fact after the other: engines take several times as long to put an object together from parts. */
function describe(item: Known, useragent: string, from: number, to: number): CrawlerVerdict {
  const verdict: Partial<Writable<CrawlerVerdict>> = { useragent, crawler: true };
  const name =
    item.name ??
    (item.isCode ? undefined : nameAt(useragent, from, item.beginsWithName && to < useragent.length ? from + 1 : to));
  if (name !== undefined) verdict.name = name;
  addFacts(item, verdict);
  verdict.pattern = item.pattern;
  verdict.match = useragent.slice(from, to);
  return verdict as CrawlerVerdict;
}

/** Finds the occurrence that was complete at `end`, at its full length. */
type Locator = (useragent: string, end: number) => readonly [from: number, to: number];

/** The length that is searched first, in characters: longer than nearly all matches. Patterns take linear time in a longer one. */
const longestMatch = 256;

function createLocator({ name, match: expression, anchored, part }: ItemFacts): Locator {
  if (part !== undefined) return createPartLocator(part);
  const match = String(expression);
  // linear: consists of the catalogue's patterns
  const whole = new RegExp(match, "y");
  // Without alternatives, a pattern that begins with ^ occurs only at the start.
  if (anchored || /^\^[^|]*$/.test(match))
    return (useragent, end) => {
      whole.lastIndex = 0;
      return [0, whole.test(useragent) ? Math.max(whole.lastIndex, end) : end];
    };
  const isRule = name === undefined;
  const search = isRule ? createLastMatch(match) : createMatchAtEnd(match);
  return (useragent, end) => {
    // The occurrence that counted ends here, although an engine may prefer a longer one.
    const read = useragent.slice(0, end);
    const from = search(read, Math.max(0, end - longestMatch)) ?? search(read, 0) ?? end;
    whole.lastIndex = from;
    const to = whole.test(useragent) ? whole.lastIndex : from;
    return [from, isRule ? to : Math.max(to, end)];
  };
}

/** The first occurrence in the string; it need not be the one that the automaton found. */
function createPartLocator(part: string): Locator {
  // linear: consists of the catalogue's patterns
  const expression = new RegExp(part);
  return (useragent) => {
    const found = expression.exec(useragent);
    return found ? [found.index, found.index + found[0].length] : [0, useragent.length];
  };
}

type Search = (read: string, from: number) => number | undefined;

function createMatchAtEnd(match: string): Search {
  // linear: consists of the catalogue's patterns
  const expression = new RegExp(`(?:${match})$`, "g");
  return (read, from) => {
    expression.lastIndex = from;
    return expression.exec(read)?.index;
  };
}

/**
 * Finds the last occurrence: a rule may need the text after it, and occurrences inside exceptions come before. Searches
 * backwards, because the occurrence is a few characters away. A forward search would read the whole string.
 */
function createLastMatch(match: string): Search {
  // linear: consists of the catalogue's patterns
  const expression = new RegExp(match, "y");
  return (read, from) => {
    for (let start = read.length - 1; start >= from; start--) {
      expression.lastIndex = start;
      if (expression.test(read)) return start;
    }
    return undefined;
  };
}
