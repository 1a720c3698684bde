/** The lists of a verifier as exports take them: with the operators' names. */
import type { Detector } from "../../detect/verdict.ts";
import type { PublishedList } from "../../export/ranges/range-lists.ts";
import type { OperatorList } from "../../verify/lists/operator-lists.ts";

/** The operator of a list's crawlers. */
export type OperatorOf = (list: OperatorList) => string;

/** Makes the function that finds operators in a detector's catalogue. */
export function createOperatorOf({ catalogue }: Pick<Detector, "catalogue">): OperatorOf {
  const byName = new Map(catalogue.items.map(({ name, operator }) => [name, operator]));
  return ({ proof }) =>
    proof.crawlers.map((name) => byName.get(name)).find((operator) => operator !== undefined) ?? proof.id;
}

/** The list with its operator; its prefixes are made when they are read. */
export function toPublished(from: OperatorList, operatorOf: OperatorOf): PublishedList {
  const { proof, list } = from;
  return {
    operator: operatorOf(from),
    crawlers: proof.crawlers,
    sources: proof.ranges?.map(({ url }) => url) ?? [],
    asOf: new Date(list.asOf).toISOString().replace(".000Z", "Z"),
    get prefixes() {
      return list.prefixes;
    },
  };
}
