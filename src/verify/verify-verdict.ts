/** Adds what verifying says to verdicts. */
import type { Verdict } from "../detect/verdict.ts";
import type { Verification } from "../detect/verification.ts";
import type { Asker, Evidence, Verifier } from "./evidence.ts";

/** The verdict with its verification; a person's verdict has none. */
export function withVerification(verdict: Verdict, verification: Verification | undefined): Verdict {
  return verification === undefined || !verdict.crawler ? verdict : { ...verdict, verification };
}

/** Verifies as `verifier.verify` does: no promise where nothing is waited for. */
export function verifyVerdict(
  verifier: Verifier,
  verdict: Verdict,
  evidence: Evidence,
  waitMs: number,
  asker?: Asker,
): Verdict | Promise<Verdict> {
  const verification = verifier.verify(verdict, evidence, waitMs, asker);
  return verification instanceof Promise
    ? verification.then((verification) => withVerification(verdict, verification))
    : withVerification(verdict, verification);
}
