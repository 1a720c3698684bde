/** Policies: which crawlers are refused. The adapters and the service's /auth share them and decide how to answer. */

import type { CategoryWithPurpose, CrawlerName } from "../../generated/crawler-names.ts";
import type { Category, Purpose } from "../categories.ts";
import type { SignalId } from "../signals.ts";
import type { Verdict } from "../verdict.ts";
import type { NetworkKind, VerificationWord } from "../verification.ts";
import { type SelectableCrawler, SelectionError, splitWords, toException, toSelection } from "./selection.ts";
import {
  blockingWordsOf,
  evidenceWordsOf,
  familyOf,
  keepUsable,
  type MissingEvidence,
  type OnUnusable,
  readWord,
  refuseUnusable,
} from "./words.ts";

/** A word that chooses crawlers; editors complete categories, purposes and the names of reviewed crawlers. */
export type PolicyWord =
  | "all"
  | "missing"
  | "disallowed"
  | Category
  | CategoryWithPurpose
  | `*:${Purpose}`
  | VerificationWord
  | "crawler-address"
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
 * operator documents a conclusive method; `crawler-address`, every client whose address is in a list of crawlers and no others.
 * `network:hosting`, `network:cdn`, `network:relay`, `network:vpn` and `network:tor` choose every client in such a network, people included; `signal:client-hints-missing` and the like every client whose request has this signal;
 * `disallowed`, only in `block`, crawlers that request a path that the site's robots.txt disallows for them.
 */
export interface PolicyWords {
  /** Crawlers to refuse, and networks; default: none. */
  readonly block?: Words | undefined;
  /**
   * Crawlers to allow although `block` names them or their network, but not if `block` refuses them as `spoofed` or `unproven`. `ai:search`
   * allows no crawler that also has other purposes, unless they are allowed, too.
   */
  readonly allow?: Words | undefined;
}

/** Whether the site's robots.txt disallows a path, as it was sent with its query, for the crawler of a verdict. */
export type IsDisallowed = (path: string, verdict: Verdict) => boolean;

/**
 * Whether a request is to be refused: by its paths as they were sent, and the verdict on its user agent. Without a path, `disallowed`
 * refuses every crawler.
 */
export type Policy = (paths: readonly string[], verdict: () => Verdict) => boolean;

/** Whether words name `disallowed`, so that the path of a request must be known. */
export function namesDisallowed({ block = [] }: PolicyWords): boolean {
  return splitWords(block).some((word) => familyOf(word) === "robots");
}

/** What words can select, and why some cannot be used. */
export interface Selectable {
  readonly crawlers: readonly SelectableCrawler[];
  readonly missing: MissingEvidence;
  /** Decides about paths, for the word `disallowed`; a string says why it cannot be used. */
  readonly robots: IsDisallowed | string;
}

/** The words of an option that can be used, as they are written and in one spelling; undefined without one. */
function readWords(
  option: "block" | "allow",
  words: Words,
  { crawlers, missing, robots }: Selectable,
  unusable: OnUnusable,
) {
  const lists: readonly unknown[] = Array.isArray(words) ? words : [words];
  if (!lists.every((list) => typeof list === "string"))
    throw new TypeError(`\`${option}\` must be a string or an array of strings.`);
  const selectable = { crawlers, missing: { ...missing, robots: typeof robots === "string" ? robots : undefined } };
  const read = new Set<string>();
  const written = keepUsable(
    option,
    splitWords(lists.length === 0 ? "" : lists),
    (word, suggests) => void read.add(readWord(option, word, selectable, suggests)),
    unusable,
  );
  return written.length === 0 ? undefined : { written, read };
}

/**
 * Reads a policy. `unusable` is called for each word that cannot be used, and throws unless the policy is to apply without it. Throws
 * SelectionError for exceptions that leave no crawler to refuse, and TypeError for words that are not strings.
 */
export function parsePolicy({ block, allow }: PolicyWords, selectable: Selectable, unusable = refuseUnusable): Policy {
  const allowed = allow === undefined ? undefined : readWords("allow", allow, selectable, unusable);
  const blocked = block === undefined ? undefined : readWords("block", block, selectable, unusable);
  if (blocked === undefined) {
    if (allowed === undefined) return () => false;
    throw new SelectionError(
      '`allow` makes exceptions to `block`, which is missing; to block all others, set `block` to "all".',
    );
  }
  const { written, read } = blocked;
  const isBlocked = toSelection(read);
  const isAllowed = allowed === undefined ? () => false : toException(allowed.read);
  // The other words can choose more than crawlers of the catalogue.
  const isOfCatalogue = written.every((word) => familyOf(word) === undefined && !/^name:/i.test(word));
  if (
    allowed !== undefined &&
    isOfCatalogue &&
    !selectable.crawlers.some((crawler) => isBlocked(crawler) && !isAllowed(crawler))
  )
    throw new SelectionError("`allow` names every crawler that `block` names, so none would be blocked.");
  const isDisallowed = read.has("disallowed") && typeof selectable.robots !== "string" ? selectable.robots : undefined;
  return (paths, toVerdict) => {
    const verdict = toVerdict();
    const evidence = evidenceWordsOf(verdict);
    // The client is not the crawler that it claims to be, or should have proved that it is.
    if (evidence.some((word) => (word === "spoofed" || word === "unproven") && read.has(word))) return true;
    const isChosen =
      [...evidence, ...blockingWordsOf(verdict)].some((word) => read.has(word)) ||
      (verdict.crawler &&
        (isBlocked(verdict) ||
          (isDisallowed !== undefined && (paths.length === 0 || paths.some((path) => isDisallowed(path, verdict))))));
    if (!isChosen || allowed === undefined) return isChosen;
    return !(evidence.some((word) => allowed.read.has(word)) || (verdict.crawler && isAllowed(verdict)));
  };
}

/**
 * A warning if `allow: "verified"` cancels what `block` selects by crawlers' facts, which is seldom intended; undefined for other policies.
 * `block: "all"` is meant. The words are parsePolicy's, which has accepted them.
 */
export function findCancelledBlock({ block = [], allow = [] }: PolicyWords): string | undefined {
  const allWords = (words: Words): string[] => splitWords(typeof words === "string" ? [words] : words);
  if (!allWords(allow).some((word) => word.toLowerCase() === "verified")) return undefined;
  const cancelled = allWords(block).filter((word) => {
    const family = familyOf(word);
    return (family === undefined || family === "robots") && word.toLowerCase() !== "all";
  });
  if (cancelled.length === 0) return undefined;
  return (
    `\`allow\` has "verified", so verified crawlers pass although \`block\` names them: ${cancelled.slice(0, 5).join(", ")}. ` +
    'To block them, omit "verified": "spoofed" and "unproven" never block a verified crawler.'
  );
}
