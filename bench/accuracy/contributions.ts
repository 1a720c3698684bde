/** The contribution of each rule: strings that only it decides, and strings that its exceptions exclude. */
import { check } from "../../src/index.ts";
import type { Corpus, Wanted } from "./corpora.ts";

/** The results of a rule on all corpora, each string once. */
export interface Contribution {
  readonly name: string;
  /** Crawlers and people that it alone takes for crawlers. */
  readonly alone: Readonly<Record<Wanted, number>>;
  /** Strings of crawlers and people of which an exception held back an occurrence, and which no other item decided. */
  readonly heldBack: Readonly<Record<Wanted, number>>;
}

/** One contribution a rule, in the order of `names`. */
export function contributionsOf(names: readonly string[], corpora: readonly Corpus[]): Contribution[] {
  const none = (): Record<Wanted, number> => ({ crawler: 0, person: 0 });
  const found = new Map(names.map((name) => [name, { name, alone: none(), heldBack: none() }]));
  // A string with two labels counts with the first.
  const labels = new Map(
    corpora.toReversed().flatMap(({ wanted, strings }) => strings.map((useragent) => [useragent, wanted] as const)),
  );
  for (const [useragent, wanted] of labels) {
    const { crawler, explanation } = check(useragent, { explain: true });
    const deciding = explanation.filter(({ decides }) => decides);
    const told = crawler ? deciding : explanation.filter(({ heldBackBy }) => heldBackBy !== undefined);
    const names = new Set(told.map(({ kind, name }) => (kind === "rule" ? name : "")));
    if (crawler && names.size > 1) continue;
    for (const name of names) {
      const contribution = found.get(name);
      if (contribution) contribution[crawler ? "alone" : "heldBack"][wanted]++;
    }
  }
  return [...found.values()];
}
