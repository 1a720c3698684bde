/** What verifying says, and what it is told: types only. */
import type { Verdict } from "../detect/verdict.ts";
import type { RequestHeaders } from "./headers.ts";

export const verificationStatuses = ["verified", "spoofed", "unverifiable"] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

export const verificationMethods = ["ip-range", "dns", "signature", "none"] as const;
export type VerificationMethod = (typeof verificationMethods)[number];

/** Whether a request is of the crawler that its user agent names. */
export interface Verification {
  /** `spoofed` only where what the operator publishes shows that it is somebody else. */
  readonly status: VerificationStatus;
  /** What decided; `none` where nothing could. */
  readonly method: VerificationMethod;
  /** In words, with the list, the name or the key that it rests on. */
  readonly reason: string;
  /** When what it rests on was known, in RFC 3339; absent where it rests on nothing. */
  readonly asOf?: string;
}

/** What is known of a request beside its user agent. */
export interface Evidence {
  /** The client's address. Text that is no address counts as none. */
  readonly ip?: string | undefined;
  /** The request's header fields, for signatures: Signature, Signature-Input, Signature-Agent, Host and what else is signed. */
  readonly headers?: RequestHeaders | undefined;
}

/** A verdict with its verification; a person's has none. */
export interface VerifiedVerdict extends Verdict {
  readonly verification?: Verification;
}

export interface Verifier {
  /** What is known at once; what is not is looked up, and known the next time. Undefined for a person's verdict. */
  known(verdict: Verdict, evidence: Evidence): Verification | undefined;
  /** The same, after waiting for what has to be looked up, for at most `waitMs`. Never rejects. */
  verify(verdict: Verdict, evidence: Evidence, waitMs: number): Promise<Verification | undefined>;
}
