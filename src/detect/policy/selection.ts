/**
 * Words that choose crawlers, the same in exports, policies and adapters: `ai` (a category), `ai:search` (a category
 * and a purpose), `*:training` (a purpose), `Googlebot` (a name), `operator:X`, `name:X` (also a name that the catalogue does not
 * have), `missing` (requests without a user agent), `all`.
 */

import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { quote } from "../../text/plain-text.ts";
import { type Category, categories, type Purpose } from "../categories.ts";

/** The facts of a crawler by which it can be chosen. */
export interface Choosable {
  readonly name?: string;
  readonly operator?: string;
  readonly category?: Category;
  readonly purposes?: readonly Purpose[];
  /** Of a verdict, the user agent; of an item, its pattern: both tell that there is no user agent. */
  readonly useragent?: string;
  readonly pattern?: string;
}

const missingWord = "missing";

/** The pattern of the catalogue's rule for requests without a user agent. */
const missingPattern = "^-?$";

/** The header is absent, empty, or `-`, which logs write for an absent one. */
function isMissing({ useragent, pattern }: Choosable): boolean {
  return useragent === undefined ? pattern === missingPattern : ["", "-"].includes(useragent.trim());
}

/** Whether a crawler is chosen. */
export type Selection = (crawler: Choosable) => boolean;

/** A word that chooses no crawler; the message suggests the right one. */
export class SelectionError extends Error {
  override readonly name = "SelectionError";
}

/** Called with why a word of an option cannot be used; if it does not throw, the word is left out. */
export type OnUnusable = (option: string, error: SelectionError) => void;

/** Throws the error. */
export const refuseUnusable: OnUnusable = (_option, error) => {
  throw error;
};

/** Finding a similar word takes two milliseconds, and a server waits for it. */
export const mostSuggested = 3;

/**
 * The words, or entries, that `read` accepts. It throws SelectionError for those that cannot be used, and suggests another word only
 * if it is told to.
 */
export function keepUsable<Word>(
  option: string,
  words: readonly Word[],
  read: (word: Word, suggests: boolean) => void,
  unusable: OnUnusable,
): readonly Word[] {
  let count = 0;
  return words.filter((word) => {
    try {
      read(word, count < mostSuggested);
      return true;
    } catch (error) {
      if (!(error instanceof SelectionError)) throw error;
      count += 1;
      unusable(option, error);
      return false;
    }
  });
}

/**
 * Reads words, separated by commas; a crawler is chosen if any word chooses it. Case is ignored. Throws SelectionError for a
 * word that chooses none of `crawlers`, unless it is `name:X`. The caller reads `otherWords` itself.
 */
export function parseSelection(
  words: string | readonly string[],
  crawlers: readonly Choosable[],
  otherWords: readonly string[] = [],
): Selection {
  const chosen = parseWords(words, crawlers, otherWords);
  return (crawler) => wordsOf(crawler).some((word) => chosen.has(word));
}

/**
 * Reads the words of exceptions as parseSelection does, but words with a purpose choose a crawler only if they choose all of its
 * purposes: the exception `ai:search` is none for a crawler that searches and trains.
 */
export function parseExceptions(
  words: string | readonly string[],
  crawlers: readonly Choosable[],
  otherWords: readonly string[] = [],
): Selection {
  const chosen = parseWords(words, crawlers, otherWords);
  return (crawler) => {
    const { purposes = [], category } = crawler;
    return (
      wordsOf({ ...crawler, purposes: [] }).some((word) => chosen.has(word)) ||
      (purposes.length > 0 &&
        purposes.every((purpose) => purposeWordsOf(category, purpose).some((word) => chosen.has(word))))
    );
  };
}

function parseWords(
  words: string | readonly string[],
  crawlers: readonly Choosable[],
  otherWords: readonly string[],
): ReadonlySet<string> {
  return new Set(splitWords(words).map((word) => parseWord(word, crawlers, otherWords)));
}

/** Names of crawlers are shorter. Words of clients are kept in memory. */
const longestWord = 200;

/** Reads one word, to the form that `wordsOf` has. Throws SelectionError as parseSelection does. */
export function parseWord(
  word: string,
  crawlers: readonly Choosable[],
  otherWords: readonly string[],
  suggests = true,
): string {
  const full = toFullWord(word);
  if (allWordsOf(crawlers).has(full)) return full;
  if (!/^name:\s*\S/i.test(word)) throw toError(word, crawlers, suggests ? otherWords : undefined);
  if (full.length > longestWord) throw new SelectionError(`${quote(word)} is longer than ${longestWord} characters.`);
  return full;
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

/** A word in small letters, and a name with `name:` before it: a crawler may have the name of a category. */
function toFullWord(word: string): string {
  const lower = word.toLowerCase();
  const { head, tail } = split(lower);
  if (tail === undefined)
    return lower === "all" || lower === missingWord || isOneOf(categories, lower) ? lower : `name:${lower}`;
  const isPrefix = head === "name" || head === "operator" || head === "*" || isOneOf(categories, head);
  return isPrefix && tail !== "" ? `${head}:${tail}` : `name:${lower}`;
}

/** The words that choose a crawler, in small letters, and its name with `name:` before it. */
export function wordsOf(crawler: Choosable): string[] {
  const { name, operator, category, purposes = [] } = crawler;
  const words = ["all"];
  if (isMissing(crawler)) words.push(missingWord);
  if (category !== undefined) words.push(category);
  words.push(...purposes.flatMap((purpose) => purposeWordsOf(category, purpose)));
  if (name !== undefined) words.push(`name:${name.toLowerCase()}`);
  if (operator !== undefined) words.push(`operator:${operator.toLowerCase()}`);
  return words;
}

function purposeWordsOf(category: Category | undefined, purpose: Purpose): string[] {
  return category === undefined ? [`*:${purpose}`] : [`${category}:${purpose}`, `*:${purpose}`];
}

const allWords = new WeakMap<readonly Choosable[], ReadonlySet<string>>();

/** The words that choose any of `crawlers`. They are kept: a policy may have a thousand words. */
export function allWordsOf(crawlers: readonly Choosable[]): ReadonlySet<string> {
  const words = allWords.get(crawlers) ?? new Set(crawlers.flatMap(wordsOf));
  allWords.set(crawlers, words);
  return words;
}

function split(word: string): { head: string; tail: string | undefined } {
  const [head = "", ...rest] = word.split(":");
  return { head, tail: rest.length === 0 ? undefined : rest.join(":").trim() };
}

/** Without `otherWords` it suggests no word. */
function toError(
  word: string,
  crawlers: readonly Choosable[],
  otherWords: readonly string[] | undefined,
): SelectionError {
  const { head, tail } = split(word);
  if (otherWords === undefined) return new SelectionError(`${quote(word)} selects no crawler of the catalogue.`);
  if (head.toLowerCase() === "operator" && tail) {
    const nearest = nearestWord(tail, operatorsOf(crawlers));
    const hint = didYouMean(nearest && `operator:${toWord(nearest)}`);
    return new SelectionError(`The catalogue has no crawler with the operator ${quote(tail)}.${hint}`);
  }
  const words = suggestions(crawlers, otherWords);
  const hint = didYouMean(words.get(nearestWord(word, words.keys()) ?? ""));
  return new SelectionError(
    `${quote(word)} selects no crawler of the catalogue.${hint} A word is a category (${categories.join(", ")}), a ` +
      "category with a purpose (ai:training, or *:training for any category), a crawler's name, operator:X, name:X for a crawler that the catalogue does not " +
      `name, or ${wholeWords(crawlers, otherWords).join(", ")}.`,
  );
}

/** The words that are none of a crawler's facts. robots.txt has no word for requests without a user agent. */
function wholeWords(crawlers: readonly Choosable[], otherWords: readonly string[]): string[] {
  return ["all", ...(allWordsOf(crawlers).has(missingWord) ? [missingWord] : []), ...otherWords];
}

/** The right words for likely mistakes: `ai:training` for `training`, `operator:X` for an operator. */
function suggestions(crawlers: readonly Choosable[], otherWords: readonly string[]): ReadonlyMap<string, string> {
  const words = new Map([...wholeWords(crawlers, otherWords), ...categories].map((word) => [word, word]));
  for (const word of ["*", "any", "bots", "crawlers"]) words.set(word, "all");
  words.set("search", "search-engine");
  for (const word of otherWords) if (word.includes(":")) words.set(word.slice(word.indexOf(":") + 1), word);
  for (const { category, purposes = [] } of crawlers)
    for (const purpose of purposes)
      for (const key of [`${category}:${purpose}`, purpose])
        if (!words.has(key)) words.set(key, `${category}:${purpose}`);
  for (const operator of operatorsOf(crawlers)) words.set(operator, `operator:${toWord(operator)}`);
  for (const { name = "" } of crawlers) if (name !== "") words.set(name, toWord(name));
  return words;
}

function operatorsOf(crawlers: readonly Choosable[]): string[] {
  return crawlers.flatMap(({ operator }) => operator ?? []);
}

/** The spelling of a name in a list. */
export function toWord(name: string): string {
  return name.replaceAll(",", "\\,");
}

function isOneOf<const Member extends string>(members: readonly Member[], text: string): text is Member {
  return (members as readonly string[]).includes(text);
}
