/**
 * Words that choose crawlers, the same in exports, policies and adapters: `ai` (a category), `ai:search` (a category
 * and a purpose), `*:training` (a purpose), `Googlebot` (a name), `operator:X`, `name:X` (also a name that the catalogue does not
 * have), `missing` (requests without a user agent), `all`.
 */

import { UserError } from "../../text/errors.ts";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { quote } from "../../text/plain-text.ts";
import { type Category, categories, type Purpose } from "../categories.ts";
import { entryOf } from "../matched-entry.ts";

/** The facts of a crawler by which it can be chosen. */
export interface SelectableCrawler {
  readonly name?: string;
  readonly operator?: string;
  readonly category?: Category;
  readonly purposes?: readonly Purpose[];
  /** The user agent of a verdict, or the pattern of an item: either can tell that the user agent is missing. */
  readonly useragent?: string;
  readonly pattern?: string;
}

const missingWord = "missing";

/** The pattern of the catalogue's rule for requests without a user agent. */
const missingPattern = "^-?$";

/** The header is absent, empty, or `-`, which logs write for an absent one; blanks may follow. */
function isMissing({ useragent, pattern }: SelectableCrawler): boolean {
  return useragent === undefined ? pattern === missingPattern : /^-?[\t-\r ]*$/.test(useragent);
}

/** Whether a crawler is chosen. */
export type Selection = (crawler: SelectableCrawler) => boolean;

/** A word that chooses no crawler; the message suggests the right one. */
export class SelectionError extends UserError {
  override readonly name = "SelectionError";
}

/**
 * Reads words, separated by commas; a crawler is chosen if any word chooses it. Case is ignored. Throws SelectionError for a
 * word that chooses none of `crawlers`, unless it is `name:X`.
 */
export function parseSelection(words: string | readonly string[], crawlers: readonly SelectableCrawler[]): Selection {
  return toSelection(parseWords(words, crawlers));
}

/** The words as `wordsOf` has them. Throws SelectionError as parseSelection does. */
export function parseWords(
  words: string | readonly string[],
  crawlers: readonly SelectableCrawler[],
): ReadonlySet<string> {
  return new Set(splitWords(words).map((word) => parseWord(word, crawlers, [], true)));
}

/** Makes the choice of any of the words, as `wordsOf` has them. */
export function toSelection(words: ReadonlySet<string>): Selection {
  return (crawler) => wordsOf(crawler).some((word) => words.has(word));
}

/**
 * As toSelection, but words with a purpose choose a crawler only if they choose all of its purposes: the exception `ai:search` does not
 * apply to a crawler that searches and trains.
 */
export function toException(words: ReadonlySet<string>): Selection {
  return (crawler) => {
    const { purposes = [], category } = crawler;
    return (
      otherWordsOf(crawler).some((word) => words.has(word)) ||
      (purposes.length > 0 &&
        purposes.every((purpose) => purposeWordsOf(category, purpose).some((word) => words.has(word))))
    );
  };
}

/** Messages list no more names of one kind than this. */
const maxListed = 20;

/**
 * Chooses the items that have one of `names`, whatever their case. Throws SelectionError for a name that no item has; `toMessage` receives
 * a hint about the intended name for its message.
 */
export function parseNames<Item>(
  names: readonly string[],
  items: readonly Item[],
  namesOf: (item: Item) => readonly string[],
  toMessage: (name: string, hint: string) => string,
): (item: Item) => boolean {
  const known = new Set(items.flatMap(namesOf));
  const lower = new Set([...known].map((name) => name.toLowerCase()));
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  for (const name of names) {
    if (lower.has(name.toLowerCase())) continue;
    const nearest = nearestWord(name, known);
    const all = known.size > maxListed ? "" : ` Known names are ${[...known].sort().join(", ")}.`;
    throw new SelectionError(toMessage(name, `${didYouMean(nearest && toWord(nearest))}${all}`));
  }
  return (item) => namesOf(item).some((name) => wanted.has(name.toLowerCase()));
}

/** Crawlers' names are shorter. A limit, because words from clients are kept in memory. */
const maxWordLength = 200;

/** Reads one word, to the form that `wordsOf` has; `otherWords` can be meant, too. Throws SelectionError as parseSelection does. */
export function parseWord(
  word: string,
  crawlers: readonly SelectableCrawler[],
  otherWords: readonly string[],
  suggests: boolean,
): string {
  const text = toOneSpelling(word);
  const known = allWordsOf(crawlers);
  // A category comes before a crawler that has its name.
  const full = [text, `name:${text}`].find((each) => known.has(each));
  if (full !== undefined) return full;
  if (!/^name:./.test(text)) throw toError(word, crawlers, suggests ? otherWords : undefined);
  if (text.length > maxWordLength)
    throw new SelectionError(`${quote(word)} is longer than ${maxWordLength} characters.`);
  return text;
}

/**
 * The words of one or more lists that commas separate, without spaces around them; `\,` is a comma within a word. An empty list
 * has one empty word.
 */
export function splitWords(words: string | readonly string[]): string[] {
  return [words]
    .flat()
    .flatMap((list) => list.split(/(?<!\\),/))
    .map((word) => word.replaceAll("\\,", ",").trim());
}

/** Lowercase, without spaces after the first colon. */
export function toOneSpelling(word: string): string {
  return word.toLowerCase().replace(/:\s+/, ":");
}

/** The words that choose a crawler, in small letters, and its name with `name:` before it. */
export function wordsOf(crawler: SelectableCrawler): string[] {
  const { category, purposes = [] } = crawler;
  return [...otherWordsOf(crawler), ...purposes.flatMap((purpose) => purposeWordsOf(category, purpose))];
}

/** The words without a purpose. */
function otherWordsOf(crawler: SelectableCrawler): string[] {
  const { name, operator, category } = crawler;
  const entry = entryOf(crawler);
  const words = ["all"];
  if (isMissing(crawler)) words.push(missingWord);
  if (category !== undefined) words.push(category);
  if (name !== undefined) words.push(`name:${name.toLowerCase()}`);
  if (entry !== undefined && entry !== name) words.push(`name:${entry.toLowerCase()}`);
  if (operator !== undefined) words.push(`operator:${operator.toLowerCase()}`);
  return words;
}

function purposeWordsOf(category: Category | undefined, purpose: Purpose): string[] {
  return category === undefined ? [`*:${purpose}`] : [`${category}:${purpose}`, `*:${purpose}`];
}

const allWords = new WeakMap<readonly SelectableCrawler[], ReadonlySet<string>>();

/** The words that choose any of `crawlers`. They are kept: a policy may have a thousand words. */
export function allWordsOf(crawlers: readonly SelectableCrawler[]): ReadonlySet<string> {
  const words = allWords.get(crawlers) ?? new Set(crawlers.flatMap(wordsOf));
  allWords.set(crawlers, words);
  return words;
}

/** Without `otherWords` it suggests no word. */
function toError(
  word: string,
  crawlers: readonly SelectableCrawler[],
  otherWords: readonly string[] | undefined,
): SelectionError {
  if (otherWords === undefined) return new SelectionError(`${quote(word)} selects no crawler of the catalogue.`);
  if (/^operator:/i.test(word)) {
    const operator = word.slice("operator:".length).trim();
    const nearest = nearestWord(operator, operatorsOf(crawlers));
    const hint = didYouMean(nearest && `operator:${toWord(nearest)}`);
    return new SelectionError(`The catalogue has no crawler of the operator ${quote(operator)}.${hint}`);
  }
  // robots.txt has no word for requests without a user agent.
  const whole = ["all", ...(allWordsOf(crawlers).has(missingWord) ? [missingWord] : []), ...otherWords];
  const hint = didYouMean(suggestionFor(word, crawlers, whole));
  return new SelectionError(
    `${quote(word)} selects no crawler of the catalogue.${hint} A word is a category (${categories.join(", ")}), a ` +
      "category with a purpose (ai:training, or *:training for any category), a crawler's name, operator:X, name:X for a crawler that the catalogue does not " +
      `name, or ${whole.join(", ")}.`,
  );
}

/** What can be meant, and what was found for words: proxies and people repeat their mistakes, and finding a word takes milliseconds. */
interface Suggesting {
  readonly meant: ReadonlyMap<string, string>;
  readonly found: Map<string, string | undefined>;
}
const suggesting = new WeakMap<readonly SelectableCrawler[], Map<string, Suggesting>>();
const maxFound = 1000;

function suggestionFor(
  word: string,
  crawlers: readonly SelectableCrawler[],
  whole: readonly string[],
): string | undefined {
  const byOthers = suggesting.get(crawlers) ?? new Map<string, Suggesting>();
  suggesting.set(crawlers, byOthers);
  const key = whole.join();
  const { meant, found } = byOthers.get(key) ?? { meant: suggestions(crawlers, whole), found: new Map() };
  byOthers.set(key, { meant, found });
  if (found.size > maxFound) found.clear();
  // No word is similar to a longer one.
  if (word.length > maxWordLength) return undefined;
  if (!found.has(word)) found.set(word, meant.get(nearestWord(word, meant.keys()) ?? ""));
  return found.get(word);
}

/** The intended words for likely mistakes: `ai:training` for `training`, `operator:X` for an operator. */
function suggestions(crawlers: readonly SelectableCrawler[], whole: readonly string[]): ReadonlyMap<string, string> {
  const words = new Map([...whole, ...categories].map((word) => [word, word]));
  for (const word of ["*", "any", "bots", "crawlers"]) words.set(word, "all");
  words.set("search", "search-engine");
  for (const word of whole) if (word.includes(":")) words.set(word.slice(word.indexOf(":") + 1), word);
  for (const { category, purposes = [] } of crawlers)
    for (const purpose of purposes)
      for (const key of [`${category}:${purpose}`, purpose])
        if (!words.has(key)) words.set(key, `${category}:${purpose}`);
  for (const operator of operatorsOf(crawlers)) words.set(operator, `operator:${toWord(operator)}`);
  for (const { name = "" } of crawlers) if (name !== "") words.set(name, toWord(name));
  return words;
}

function operatorsOf(crawlers: readonly SelectableCrawler[]): string[] {
  return crawlers.flatMap(({ operator }) => operator ?? []);
}

/** The spelling of a name in a list. */
export function toWord(name: string): string {
  return name.replaceAll(",", "\\,");
}
