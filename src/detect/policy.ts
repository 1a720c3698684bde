/** Policies: which crawlers are refused. The adapters and the service's /auth share them and decide how to answer. */

import { isCrawlerName } from "./built-in/items.ts";
import { parseSelection, splitWords } from "./selection.ts";
import type { CrawlerVerdict, Verdict } from "./verdict.ts";
import { matchesWord, verificationWords } from "./verification.ts";

type Words = string | readonly string[];

/**
 * Words that choose crawlers, separated by commas: `ai`, `ai:training`, `Googlebot`, `operator:OpenAI`, `name:MyBot`, `all`;
 * and where they are verified `verified`, `spoofed`, `unverifiable`, and `unproven`: unverifiable although the crawler's operator
 * documents a conclusive method.
 */
export interface PolicyWords {
  /** Crawlers to refuse; default: none. */
  readonly block?: Words | undefined;
  /** Crawlers to allow although `block` names them. */
  readonly allow?: Words | undefined;
}

/** Whether a request is to be refused: by its path as it was sent, and the verdict on its user agent. */
export type Policy = (path: string, verdict: () => Verdict) => boolean;

function parseChoice(words: Words): (verdict: CrawlerVerdict) => boolean {
  const all = splitWords(words);
  const chosen = verificationWords.filter((known) => all.some((word) => word.toLowerCase() === known));
  const others = all.filter((word) => !chosen.some((known) => word.toLowerCase() === known));
  const isSelected = parseSelection(others, isCrawlerName);
  return (verdict) => isSelected(verdict) || chosen.some((word) => matchesWord(verdict.verification, word));
}

/** Reads a policy. Throws SelectionError for a word that chooses nothing. */
export function parsePolicy({ block = [], allow = [] }: PolicyWords): Policy {
  const [isBlocked, isAllowed] = [block, allow].map((words) => parseChoice(words));
  if ([block].flat().join("").trim() === "") return () => false;
  return (path, toVerdict) => {
    // A crawler must be able to read in robots.txt that it is refused.
    if (/^\/robots\.txt(?:$|[?#])/.test(path)) return false;
    const verdict = toVerdict();
    return verdict.crawler && isBlocked!(verdict) && !isAllowed!(verdict);
  };
}
