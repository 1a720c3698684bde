/** A verifier for tests, of facts without a catalogue; and what one knows without waiting. */
import assert from "node:assert/strict";
import type { Verification, VerificationFacts } from "../../src/detect/verification.ts";
import type { Claim, ClaimVerifier, Evidence } from "../../src/verify/evidence.ts";
import { type EvidenceOptions, openEvidence } from "../../src/verify/open-evidence.ts";

export function openVerifier(verification: VerificationFacts, options: EvidenceOptions = {}): ClaimVerifier {
  return openEvidence({ items: [], verification }, options).verifier;
}

export function known(verifier: ClaimVerifier, claim: Claim, evidence: Evidence): Verification | undefined {
  const verification = verifier.verify(claim, evidence, 0);
  assert.ok(!(verification instanceof Promise));
  return verification;
}
