/** What reads evidence with the data of this package and the network that the runtime has. A module of its own: it is loaded at the first question. */

import { readNetworkSources } from "../detect/built-in/networks.ts";
import type { VerificationFacts } from "../detect/verification.ts";
import { createDefaultVerifier, type DefaultVerifierOptions } from "./default-verifier.ts";
import { createNetworks } from "./networks/networks.ts";
import type { EvidenceReaders } from "./verify-verdict.ts";

export function createDefaultReaders(facts: VerificationFacts, options: DefaultVerifierOptions): EvidenceReaders {
  return { verifier: createDefaultVerifier(facts, options), networks: createNetworks(readNetworkSources()) };
}
