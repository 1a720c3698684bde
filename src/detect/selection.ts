/**
 * Words that choose crawlers, the same in exports, policies and adapters: `ai` (a category), `ai:training` (those of it with
 * a purpose), `Googlebot` (a name), `name:X` and `operator:X` (also such as the catalogue does not know), `all`.
 */
import { type Category, categories, type Purpose, purposes } from "./categories.ts";

/** What is known of a crawler, as far as it can be chosen by. */
export interface Choosable {
  readonly name?: string;
  readonly operator?: string;
  readonly category?: Category;
  readonly purposes?: readonly Purpose[];
}

/** Whether a crawler is chosen. */
export type Selection = (crawler: Choosable) => boolean;

/** A word that chooses nothing; the message says what there is. */
export class SelectionError extends Error {
  override readonly name = "SelectionError";
}

/**
 * Reads words, separated by commas; chosen is what any of them chooses, and nothing by no word. Case is ignored.
 * Throws SelectionError for a word that is none; `isName` tells the names that the catalogue has.
 */
export function parseSelection(words: string | readonly string[], isName: (name: string) => boolean): Selection {
  const chosen = splitWords(words).map((word) => parseWord(word, isName));
  return (crawler) => chosen.some((isChosen) => isChosen(crawler));
}

/** The words of one or more lists that commas separate, without blanks around them and without empty ones. */
export function splitWords(words: string | readonly string[]): string[] {
  return [words]
    .flat()
    .flatMap((list) => list.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function parseWord(word: string, isName: (name: string) => boolean): Selection {
  const lower = word.toLowerCase();
  if (lower === "all") return () => true;
  const [head = "", ...rest] = lower.split(":");
  const tail = rest.join(":").trim();
  if (head === "name" && tail !== "") return ({ name }) => name?.toLowerCase() === tail;
  if (head === "operator" && tail !== "") return ({ operator }) => operator?.toLowerCase() === tail;
  if (isOneOf(categories, head)) {
    if (rest.length === 0) return ({ category }) => category === head;
    if (isOneOf(purposes, tail))
      return (crawler) => crawler.category === head && crawler.purposes?.includes(tail) === true;
    throw new SelectionError(`There is no purpose ${JSON.stringify(tail)}; there are ${purposes.join(", ")}.`);
  }
  if (isName(lower)) return ({ name }) => name?.toLowerCase() === lower;
  throw new SelectionError(
    `${JSON.stringify(word)} is neither a category (${categories.join(", ")}), a category with a purpose (ai:training), ` +
      `nor a crawler's name in the catalogue. Write name:${word} for a crawler that the catalogue does not name.`,
  );
}

function isOneOf<const Member extends string>(members: readonly Member[], text: string): text is Member {
  return (members as readonly string[]).includes(text);
}
