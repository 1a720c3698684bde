/** The lists of a verifier as exports take them: with the operators' names. */
import { mapInSteps } from "../../address/lists-in-steps.ts";
import { type Prefix, toPrefixText } from "../../address/prefix.ts";
import type { PublishedList } from "../../export/ranges/range-lists.ts";
import type { OperatorList } from "../../verify/lists/operator-lists.ts";

/** The operator of a list's crawlers. */
export type OperatorOf = (proof: OperatorList["proof"]) => string | undefined;

/** What a list says of itself. */
export function factsOf({ proof }: OperatorList, operatorOf: OperatorOf) {
  const { id, crawlers, ranges = [] } = proof;
  return { operator: operatorOf(proof) ?? id, crawlers, sources: ranges.map(({ url }) => url) };
}

/** The list with its operator; `toPublished` adds the prefixes. */
export function toChoice(listed: OperatorList, operatorOf: OperatorOf) {
  const { list } = listed;
  return { ...factsOf(listed, operatorOf), asOf: new Date(list.asOf).toISOString().replace(".000Z", "Z"), list };
}

/** By a list's prefixes: how they are written. */
const texts = new WeakMap<readonly Prefix[], readonly string[]>();

/** Lists with their prefixes as text, in steps. */
export function* toPublished(choices: readonly ReturnType<typeof toChoice>[]): Generator<undefined, PublishedList[]> {
  const published: PublishedList[] = [];
  for (const { list, ...facts } of choices) {
    const prefixes = texts.get(list.prefixes) ?? (yield* mapInSteps(list.prefixes, toPrefixText));
    texts.set(list.prefixes, prefixes);
    published.push({ ...facts, prefixes });
    yield;
  }
  return published;
}
