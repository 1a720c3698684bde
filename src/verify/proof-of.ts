/** Finds what operators publish about a crawler by its name. */
import type { Proof } from "../detect/verification.ts";

/** What the operator of the crawler of this name publishes; undefined if nothing is known. */
export type ProofOf = (name: string | undefined) => Proof | undefined;

/** Makes the function that finds proofs by the names of the entries they are for. */
export function createProofOf(proofs: readonly Proof[]): ProofOf {
  const byName = new Map(proofs.flatMap((proof) => proof.crawlers.map((name) => [name, proof])));
  return (name) => (name === undefined ? undefined : byName.get(name));
}
