/**
 * Reads the words of options such as `block`: those about evidence on a request, in one table, and those about a crawler's facts, which
 * selection.ts has. Words are compared in one spelling, such as `network:tor`.
 */
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { quote } from "../../text/plain-text.ts";
import { signalIds } from "../signals.ts";
import type { Verdict } from "../verdict.ts";
import { networkKinds, verificationWords } from "../verification.ts";
import { refuseRobotsToken } from "./robots-tokens.ts";
import { parseWord, type SelectableCrawler, SelectionError, toOneSpelling } from "./selection.ts";

/** The words about evidence. Those of addresses, networks and signals choose people, too. */
const families = {
  verification: verificationWords,
  address: ["crawler-address"],
  network: networkKinds.map((kind) => `network:${kind}`),
  signal: signalIds.map((id) => `signal:${id}`),
  robots: ["disallowed"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Family = keyof typeof families;
const familyNames = Object.keys(families) as readonly Family[];

/** Why the words of a family cannot be used; absent for a family whose words can. */
export type MissingEvidence = { readonly [Name in Family]?: string | undefined };

/** The words that choose a verdict by its evidence. `disallowed` is none of them: the path decides. */
export function evidenceWordsOf({ crawler, verification, network, crawlerAddress, signals = [] }: Verdict): string[] {
  const words = signals.map(({ id }) => `signal:${id}`);
  if (network !== undefined) words.push(`network:${network.kind}`);
  if (crawlerAddress !== undefined) words.push("crawler-address");
  // For people, only a verified signature counts.
  if (verification !== undefined && (crawler || verification.status === "verified")) words.push(verification.status);
  if (crawler && verification?.unproven) words.push("unproven");
  // A request with a person's user agent that an agent has signed belongs to the agent's operator.
  const operator = !crawler && verification?.status === "verified" ? verification.agent?.operator : undefined;
  if (operator !== undefined) words.push(`operator:${operator.toLowerCase()}`);
  return words;
}

/**
 * Words that choose a verdict in `block` only: a browser's string from an address of an operator's crawlers. The address does not prove that
 * a crawler sent the request, so `allow` does not let it through.
 */
export function blockingWordsOf({ crawler, crawlerAddress }: Verdict): string[] {
  return crawler || crawlerAddress === undefined ? [] : [`operator:${crawlerAddress.operator.toLowerCase()}`];
}

/** The family of a word, as far as its beginning tells; undefined for words about facts. */
export function familyOf(word: string): Family | undefined {
  const text = toOneSpelling(word);
  const [head] = /^[a-z]+:/.exec(text) ?? [];
  const isOf = (known: string): boolean => known === text || (head !== undefined && known.startsWith(head));
  return familyNames.find((name) => families[name].some(isOf));
}

/**
 * Reads a word of an option, to the spelling that `evidenceWordsOf` and `wordsOf` have. Throws SelectionError for a word that cannot be
 * used, and suggests another one if it is told to.
 */
export function readWord(
  option: string,
  word: string,
  { crawlers, missing }: { readonly crawlers: readonly SelectableCrawler[]; readonly missing: MissingEvidence },
  suggests: boolean,
): string {
  if (word === "")
    throw new SelectionError(`\`${option}\` has an empty word; to select no crawler, omit \`${option}\`.`);
  const family = familyOf(word);
  if (family === undefined) {
    refuseRobotsToken(option, word);
    const others = familyNames.flatMap((name) => (whyNot(option, name, missing) === undefined ? families[name] : []));
    return parseWord(word, crawlers, others, suggests);
  }
  const text = toOneSpelling(word);
  const why = whyNot(option, family, missing);
  if (why !== undefined) throw new SelectionError(`\`${option}\` cannot name ${quote(text)}: ${why}`);
  const words: readonly string[] = families[family];
  if (!words.includes(text)) {
    const hint = didYouMean(nearestWord(text, words));
    throw new SelectionError(
      `\`${option}\` has the unknown word ${quote(word)}.${hint} Words are ${words.join(", ")}.`,
    );
  }
  return text;
}

function whyNot(option: string, family: Family, missing: MissingEvidence): string | undefined {
  if (family === "robots" && option !== "block") return "it only selects requests to block; put it in `block`.";
  return missing[family];
}

/** Called with why a word of an option cannot be used; if it does not throw, the word is left out. */
export type OnUnusable = (option: string, error: SelectionError) => void;

/** Throws the error. */
export const refuseUnusable: OnUnusable = (_option, error) => {
  throw error;
};

/** Finding a similar word takes two milliseconds, during which a server is blocked. */
export const maxSuggested = 3;

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
      read(word, count < maxSuggested);
      return true;
    } catch (error) {
      if (!(error instanceof SelectionError)) throw error;
      count += 1;
      unusable(option, error);
      return false;
    }
  });
}
