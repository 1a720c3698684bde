/**
 * Limits of policies: how often a crawler may ask, such as `ai:30/m`. Decides the key and the rate of a request; the callers
 * count (src/cache/token-buckets.ts). People are never limited.
 */
import { parseRate, type Rate } from "../../cache/token-buckets.ts";
import { quote } from "../../text/plain-text.ts";
import { entryOf } from "../matched-entry.ts";
import type { Verdict } from "../verdict.ts";
import { allWordsOf, type SelectableCrawler, SelectionError, splitWords, wordsOf } from "./selection.ts";
import { keepUsable, type OnUnusable, readWord, refuseUnusable } from "./words.ts";

/** What is counted together: requests of a crawler's name, or of all crawlers of an operator. */
export const limitKeys = ["name", "operator"] as const;
export type LimitBy = (typeof limitKeys)[number];

/** A count and its rate. */
export interface Counted {
  /** The same for every spelling of the word and of the crawler's name, and of bounded length, because clients may send both. */
  readonly key: string;
  readonly rate: Rate;
}

/** The count of a verdict's crawler; undefined for people and for crawlers without a limit. */
export type CountOf = (verdict: Verdict) => Counted | undefined;

/** A word and its rate as they are written, such as `["ai", "30/m"]`. */
export type LimitEntry = readonly [word: string, rate: string];

/** Longer lists are refused; a policy seldom has more than ten words. */
const maxLimits = 1000;

/** Reads a list such as `ai:30/m,GPTBot:10/m`. The rate comes after the last colon. Throws SelectionError. */
export function splitLimits(list: string): LimitEntry[] {
  checkLimitCount(list.split(",", maxLimits + 1).length);
  return splitWords(list).map((text) => {
    const colon = text.lastIndexOf(":");
    return colon < 0 ? [text, ""] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  });
}

/** Only words about crawlers' facts can have a limit, because people are not limited. */
const missing = {
  verification: "name crawlers instead; verified crawlers and their imitators are counted separately.",
  address: "it would also select people.",
  network: "it would also select people.",
  signal: "it would also select people.",
};

interface CrawlerLimit {
  readonly entry: LimitEntry;
  /** The word as `readWord` returns it, with its rate: the keys begin with it. */
  readonly text: string;
  readonly rate: Rate;
  readonly order: number;
}

/**
 * Reads limits of `crawlers`, the items of a catalogue. The most specific word that selects a crawler gives its rate: a name, then an
 * operator, a category with a purpose, a purpose, a category, `all`; of several such words, the first in the list. `unusable` is called
 * for a word that selects no crawler or no crawler alone, a wrong rate and a word given twice, and throws unless the other words are to
 * apply. Throws SelectionError for too many words.
 */
export function parseLimits(
  entries: readonly LimitEntry[],
  by: LimitBy,
  crawlers: readonly SelectableCrawler[],
  unusable = refuseUnusable,
): CountOf {
  const limits = readLimits(entries, crawlers, unusable);
  const known = allWordsOf(crawlers);
  return (verdict) => {
    if (!verdict.crawler) return undefined;
    const limit = findLimit(limits, verdict);
    if (limit === undefined) return undefined;
    const { operator, pattern, verification } = verdict;
    const name = entryOf(verdict) ?? "";
    // A client can send any name, so names in neither the catalogue nor the policy share a count per pattern that found them.
    const word = `name:${name.toLowerCase()}`;
    const who =
      by === "operator" && operator !== undefined
        ? `operator:${operator.toLowerCase()}`
        : known.has(word) || limits.has(word)
          ? word
          : pattern;
    // Imitators are counted separately.
    return { key: `${limit.text} ${verification?.status ?? ""} ${who}`, rate: limit.rate };
  };
}

/**
 * Makes the function that gives the limit of an item of a catalogue, one of `entries`; undefined without one. For exports, which decide by
 * item.
 */
export function createLimitOf(
  entries: readonly LimitEntry[],
  crawlers: readonly SelectableCrawler[],
): (crawler: SelectableCrawler) => LimitEntry | undefined {
  const limits = readLimits(entries, crawlers, refuseUnusable);
  return (crawler) => findLimit(limits, crawler)?.entry;
}

function readLimits(
  entries: readonly LimitEntry[],
  crawlers: readonly SelectableCrawler[],
  unusable: OnUnusable,
): ReadonlyMap<string, CrawlerLimit> {
  checkLimitCount(entries.length);
  const limits = new Map<string, CrawlerLimit>();
  const read = (entry: LimitEntry, suggests: boolean): void => {
    const [word, rateText] = entry;
    const rate = parseRate(rateText);
    if (rate === undefined && word !== "")
      throw new SelectionError(
        `\`limit\` needs a rate of at least 1 per second (/s), minute (/m) or hour (/h) for each word, such as ai:30/m; ${quote(rateText === "" ? word : `${word}:${rateText}`)} has none.`,
      );
    const full = readWord("limit", word, { crawlers, missing }, suggests);
    if (limits.has(full)) throw new SelectionError(`\`limit\` names ${quote(word)} twice.`);
    const order = specificityOf(full) * maxLimits + limits.size;
    limits.set(full, { entry, text: `${full}:${rateText}`, rate: rate!, order });
  };
  keepUsable("limit", entries, read, unusable);
  return limits;
}

function checkLimitCount(count: number): void {
  if (count > maxLimits) throw new SelectionError(`\`limit\` has more than ${maxLimits} words.`);
}

const kinds = [/^(?:name:|missing$)/, /^operator:/, /^[^*:]+:/, /^\*:/, /^(?!all$)/];

function specificityOf(fullWord: string): number {
  const kind = kinds.findIndex((kind) => kind.test(fullWord));
  return kind < 0 ? kinds.length : kind;
}

function findLimit(limits: ReadonlyMap<string, CrawlerLimit>, crawler: SelectableCrawler): CrawlerLimit | undefined {
  let found: CrawlerLimit | undefined;
  for (const word of wordsOf(crawler)) {
    const limit = limits.get(word);
    if (limit !== undefined && (found === undefined || limit.order < found.order)) found = limit;
  }
  return found;
}
