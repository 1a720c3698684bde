/** The lists of a verifier as exports take them: with the operators' names. */
import { toPrefixText } from "../../address/prefix.ts";
import type { PublishedList } from "../../export/ranges/range-lists.ts";
import type { OperatorList } from "../../verify/lists/operator-lists.ts";

/** The operator of a list's crawlers. */
export type OperatorOf = (proof: OperatorList["proof"]) => string | undefined;

/** What a list says of itself. */
export function factsOf({ proof }: OperatorList, operatorOf: OperatorOf) {
  const { id, crawlers, ranges = [] } = proof;
  return { operator: operatorOf(proof) ?? id, crawlers, sources: ranges.map(({ url }) => url) };
}

/** The list with its operator; its prefixes are made when they are read. */
export function toPublished(published: OperatorList, operatorOf: OperatorOf): PublishedList {
  const { list } = published;
  return {
    ...factsOf(published, operatorOf),
    asOf: new Date(list.asOf).toISOString().replace(".000Z", "Z"),
    get prefixes() {
      return list.prefixes.map(toPrefixText);
    },
  };
}
