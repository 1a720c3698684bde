/** The lists of a verifier as exports take them: with the operators' names. */
import { toPrefixText } from "../../address/prefix.ts";
import type { PublishedList } from "../../export/ranges/range-lists.ts";
import type { OperatorList } from "../../verify/lists/operator-lists.ts";

/** The operator of a list's crawlers. */
export type OperatorOf = (proof: OperatorList["proof"]) => string | undefined;

/** The list with its operator; its prefixes are made when they are read. */
export function toPublished({ proof, list }: OperatorList, operatorOf: OperatorOf): PublishedList {
  return {
    operator: operatorOf(proof) ?? proof.id,
    crawlers: proof.crawlers,
    sources: proof.ranges?.map(({ url }) => url) ?? [],
    asOf: new Date(list.asOf).toISOString().replace(".000Z", "Z"),
    get prefixes() {
      return list.prefixes.map(toPrefixText);
    },
  };
}
