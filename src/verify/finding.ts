/** What one kind of evidence says about a claim. judge.ts queries each kind and combines the findings. */

import type { Address } from "../address/address.ts";
import type { Proof, SignatureAgent, VerificationMethod, VerificationStatus } from "../detect/verification.ts";
import type { Claim, Evidence, LookupClient } from "./evidence.ts";

/** A claim with its evidence. */
export interface VerificationInput {
  readonly claim: Claim;
  readonly evidence: Evidence;
  readonly lookupClient: LookupClient | undefined;
  /** What the operator documents; undefined for people and for crawlers without a documented method. */
  readonly proof: Proof | undefined;
  /** The client's address; undefined if it is unknown or none. */
  readonly address: Address | undefined;
  /** Why signatures do not count, and whose they are; undefined if they do. */
  readonly refusal: Pick<Finding, "reason" | "advice" | "agent"> | undefined;
}

export interface Finding {
  /** `doubtful` does not verify the claim, and no other finding may refute it. */
  readonly status: VerificationStatus | "doubtful";
  readonly method: VerificationMethod;
  readonly reason: string;
  /** What to do, to know more or to decide in spite of it; only if the claim is neither verified nor spoofed. */
  readonly advice?: string | undefined;
  /** The time of the evidence, in milliseconds. */
  readonly asOf?: number;
  readonly agent?: SignatureAgent | undefined;
  /** Whether the reason is also reported if another finding decides. */
  readonly isRemark?: boolean;
  /** Must be called before the finding counts. Returns why it does not count; undefined if it does. */
  readonly confirm?: () => Pick<Finding, "reason" | "advice"> | undefined;
}

export function unverifiable(reason: string, advice: string): Finding {
  return { status: "unverifiable", method: "none", reason, advice };
}

/** What is being looked up: ask again when `wait` has resolved; it never rejects. */
export interface Pending {
  readonly wait: Promise<unknown>;
  readonly agent?: SignatureAgent | undefined;
}

export function isPending(answer: Finding | Pending | undefined): answer is Pending {
  return answer !== undefined && "wait" in answer;
}
