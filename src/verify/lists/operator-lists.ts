/** The lists of addresses that a verifier knows, with whose they are, for those who want to see them. */
import type { Proof } from "../../detect/verification.ts";
import type { RangeList, RangeLists } from "./range-lists.ts";

/** A list, and the proof that it is part of. */
export interface OperatorList {
  readonly proof: Proof;
  readonly list: RangeList;
}

/** The lists of all proofs that have one. */
export function toOperatorLists(proofs: readonly Proof[], lists: RangeLists): OperatorList[] {
  return proofs.flatMap((proof) => {
    const list = proof.ranges && lists.find(proof.id);
    return list === undefined ? [] : [{ proof, list }];
  });
}
