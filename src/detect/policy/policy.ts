/** Policies: which crawlers are refused. The adapters and the service's /auth share them and decide how to answer. */

import type { CategoryWithPurpose, CrawlerName } from "../../generated/crawler-names.ts";
import type { Category, Purpose } from "../categories.ts";
import type { SignalId } from "../signals.ts";
import type { Verdict } from "../verdict.ts";
import type { NetworkKind } from "../verification.ts";
import { matchesWord, type VerificationWord, verificationWords } from "../verification.ts";
import { isRequestWord, type MissingFamilies, parseRequestWord, requestWords } from "./request-words.ts";
import { refuseRobotsToken } from "./robots-tokens.ts";
import {
  type Choosable,
  keepUsable,
  type OnUnusable,
  parseExceptions,
  parseSelection,
  parseWord,
  refuseUnusable,
  type Selection,
  SelectionError,
  splitWords,
  toWord,
} from "./selection.ts";

/** A word that chooses crawlers; editors complete categories, purposes and the names of reviewed crawlers. */
export type PolicyWord =
  | "all"
  | "missing"
  | "disallowed"
  | Category
  | CategoryWithPurpose
  | `*:${Purpose}`
  | VerificationWord
  | CrawlerName
  | `operator:${string}`
  | `name:${string}`
  | `network:${NetworkKind}`
  | `signal:${SignalId}`
  // Any other string, such as other names and lists with commas; editors still complete the words above.
  | (string & {});

export type { CrawlerName } from "../../generated/crawler-names.ts";

type Words = PolicyWord | readonly PolicyWord[];

/**
 * Words that choose crawlers, separated by commas: `ai`, `ai:search`, `*:training`, `Googlebot`, `operator:OpenAI`, `name:MyBot`, `all`,
 * `missing` (requests without a user agent);
 * where crawlers are verified, also `verified`, `spoofed`, `unverifiable`, and `unproven`: unverifiable although the crawler's
 * operator documents a conclusive method. `network:hosting`, `network:relay`, `network:vpn` and `network:tor` choose every client
 * in such a network, people included; `signal:client-hints-missing` and the like every client whose request has this signal;
 * `disallowed`, only in `block`, crawlers that request a path that the site's robots.txt disallows for them.
 */
export interface PolicyWords {
  /** Crawlers to refuse, and networks; default: none. */
  readonly block?: Words | undefined;
  /**
   * Crawlers to allow although `block` names them or their network, but not although `block` names `spoofed` or `unproven`. `ai:search`
   * allows no crawler that also has other purposes, unless they are allowed, too.
   */
  readonly allow?: Words | undefined;
}

/** Whether the site's robots.txt disallows a path, as it was sent with its query, for the crawler of a verdict. */
export type IsDisallowed = (path: string, verdict: Verdict) => boolean;

/** Whether a request is to be refused: by its path as it was sent, if it is known, and the verdict on its user agent. */
export type Policy = (path: string | undefined, verdict: () => Verdict) => boolean;

interface Choice {
  /** Whether a crawler of the catalogue, or of a verdict, is chosen by its facts. */
  readonly isSelected: Selection;
  readonly isChosen: (verdict: Verdict, path: string | undefined) => boolean;
  /** Whether `spoofed` or `unproven` chooses it: the client is not, or should have proved to be, the crawler whose facts it has. */
  readonly isRefuted: (verdict: Verdict) => boolean;
  /** Whether it can choose more than crawlers of the catalogue by their facts. */
  readonly isOpen: boolean;
}

/** Why words cannot be used: crawlers are not verified, or the request is unknown. Without reasons, they can be used. */
export interface MissingEvidence extends MissingFamilies {
  readonly verification?: string | undefined;
}

/** What the word `disallowed` asks; a string says why it cannot be used. */
export type RobotsEvidence = IsDisallowed | string;

const disallowedWord = "disallowed";

/** Whether words name `disallowed`, so that the path of a request must be known. */
export function namesDisallowed({ block = [] }: PolicyWords): boolean {
  return splitWords(block).some((word) => word.toLowerCase() === disallowedWord);
}

/** What words can select, and why some cannot be used. */
export interface Selectable {
  readonly crawlers: readonly Choosable[];
  readonly missing: MissingEvidence;
  /** Decides about paths, for the word `disallowed`. */
  readonly robots: RobotsEvidence;
}

/** Throws SelectionError for a word that cannot be used. */
function expectUsable(
  option: string,
  word: string,
  { crawlers, missing, robots }: Selectable,
  suggests: boolean,
): void {
  const lower = word.toLowerCase();
  if (word === "")
    throw new SelectionError(`\`${option}\` has an empty word; leave \`${option}\` out to name no crawler.`);
  if (isRequestWord(word)) parseRequestWord(option, word, missing);
  else if (verificationWords.some((known) => known === lower)) {
    if (missing.verification !== undefined)
      throw new SelectionError(`\`${option}\` cannot name "${lower}": ${missing.verification}`);
  } else if (lower === disallowedWord) {
    const why = option === "allow" ? "it selects requests to refuse; put it in `block`." : robots;
    if (typeof why === "string") throw new SelectionError(`\`${option}\` cannot name "${disallowedWord}": ${why}`);
  } else {
    refuseRobotsToken(option, word);
    const otherWords = [
      ...(missing.verification === undefined ? verificationWords : []),
      ...(typeof robots === "string" || option === "allow" ? [] : [disallowedWord]),
      ...requestWords(missing),
    ];
    parseWord(word, crawlers, otherWords, suggests);
  }
}

/** The choice of the words that can be used; undefined without one. */
function parseChoice(option: string, words: Words, selectable: Selectable, unusable: OnUnusable): Choice | undefined {
  const { crawlers, missing, robots } = selectable;
  const lists: readonly unknown[] = Array.isArray(words) ? words : [words];
  if (!lists.every((list) => typeof list === "string"))
    throw new TypeError(`\`${option}\` must be a string or an array of strings.`);
  const all = keepUsable(
    option,
    splitWords(lists.length === 0 ? "" : lists),
    (word, suggests) => expectUsable(option, word, selectable, suggests),
    unusable,
  );
  if (all.length === 0) return undefined;
  const isNamed = (known: string): boolean => all.some((word) => word.toLowerCase() === known);
  const chosen = verificationWords.filter(isNamed);
  const ofRequests = all.filter(isRequestWord).map((word) => parseRequestWord(option, word, missing));
  const isDisallowed = isNamed(disallowedWord) && typeof robots !== "string" ? robots : undefined;
  const read: readonly string[] = [...chosen, disallowedWord];
  const others = all.filter((word) => !isRequestWord(word) && !read.includes(word.toLowerCase()));
  const parse = option === "allow" ? parseExceptions : parseSelection;
  const isSelected = parse(others.map(toWord), crawlers);
  const refuting = chosen.filter((word) => word === "spoofed" || word === "unproven");
  return {
    isSelected,
    isChosen: (verdict, path) =>
      (verdict.crawler && isSelected(verdict)) ||
      chosen.some((word) => (verdict.crawler || word === "verified") && matchesWord(verdict.verification, word)) ||
      ofRequests.some((isChosen) => isChosen(verdict)) ||
      (isDisallowed !== undefined && verdict.crawler && path !== undefined && isDisallowed(path, verdict)),
    isRefuted: ({ crawler, verification }) => crawler && refuting.some((word) => matchesWord(verification, word)),
    isOpen:
      chosen.length > 0 ||
      ofRequests.length > 0 ||
      isDisallowed !== undefined ||
      others.some((word) => /^name:/i.test(word)),
  };
}

/**
 * Reads a policy. `unusable` is called for each word that cannot be used, and throws unless the policy is to apply without it. Throws
 * SelectionError for exceptions that leave no crawler to refuse, and TypeError for words that are not strings.
 */
export function parsePolicy({ block, allow }: PolicyWords, selectable: Selectable, unusable = refuseUnusable): Policy {
  const { crawlers } = selectable;
  const allowed = allow === undefined ? undefined : parseChoice("allow", allow, selectable, unusable);
  const blocked = block === undefined ? undefined : parseChoice("block", block, selectable, unusable);
  if (blocked === undefined) {
    if (allowed === undefined) return () => false;
    throw new SelectionError(
      '`allow` makes exceptions from `block`, which is missing; `block` "all" refuses all others.',
    );
  }
  const isRefused = (crawler: Choosable) => blocked.isSelected(crawler) && !allowed?.isSelected(crawler);
  if (allowed !== undefined && !blocked.isOpen && !crawlers.some(isRefused))
    throw new SelectionError("`allow` names every crawler that `block` names, so that none would be refused.");
  return (path, toVerdict) => {
    if (path !== undefined && isRobotsTxt(path)) return false;
    const verdict = toVerdict();
    return blocked.isRefuted(verdict) || (blocked.isChosen(verdict, path) && !allowed?.isChosen(verdict, path));
  };
}

/** Whether a path names robots.txt, which a crawler must be able to read: the file says that the crawler is refused. */
export function isRobotsTxt(path: string): boolean {
  return /^\/robots\.txt(?:$|\?)/.test(path);
}

/**
 * Says that `allow: "verified"` cancels what `block` chooses by crawlers' facts, which is seldom meant; undefined for other policies.
 * `block: "all"` is meant. The words are parsePolicy's, which has accepted them.
 */
export function findCancelledBlock({ block = [], allow = [] }: PolicyWords): string | undefined {
  const allWords = (words: Words): string[] => splitWords(typeof words === "string" ? [words] : words);
  if (!allWords(allow).some((word) => word.toLowerCase() === "verified")) return undefined;
  const isOfEvidence = (word: string): boolean =>
    isRequestWord(word) || verificationWords.some((known) => known === word.toLowerCase());
  const cancelled = allWords(block).filter((word) => !isOfEvidence(word) && word.toLowerCase() !== "all");
  if (cancelled.length === 0) return undefined;
  return (
    `\`allow\` has "verified", so verified crawlers pass although \`block\` names them: ${cancelled.slice(0, 5).join(", ")}. ` +
    'To refuse them, leave "verified" out: "spoofed" and "unproven" never refuse a verified crawler.'
  );
}
