/** A verifier for tests, of facts without a catalogue. */
import type { VerificationFacts } from "../../src/detect/verification.ts";
import type { ClaimVerifier } from "../../src/verify/evidence.ts";
import { type EvidenceOptions, openEvidence } from "../../src/verify/open-evidence.ts";

export function openVerifier(verification: VerificationFacts, options: EvidenceOptions = {}): ClaimVerifier {
  return openEvidence({ items: [], verification }, options).verifier;
}
