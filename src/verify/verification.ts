/** What a verifier is asked, and how: types only. */

import type { Verdict } from "../detect/verdict.ts";
import type { Verification } from "../detect/verification.ts";
import type { RequestHeaders } from "./headers.ts";

/** What is known of a request beside its user agent. */
export interface Evidence {
  /** The client's address. Text that is no address counts as none. */
  readonly ip?: string | undefined;
  /** The request's header fields, for signatures: Signature, Signature-Input, Signature-Agent, Host and what else is signed. */
  readonly headers?: RequestHeaders | undefined;
}

export interface Verifier {
  /** What is known at once; what is not is looked up, and known the next time. Undefined for a person's verdict. */
  known(verdict: Verdict, evidence: Evidence): Verification | undefined;
  /** The same, after waiting for what has to be looked up, for at most `waitMs`. Never rejects. */
  verify(verdict: Verdict, evidence: Evidence, waitMs: number): Promise<Verification | undefined>;
}
