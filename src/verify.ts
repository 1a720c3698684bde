/** The package's entry `whocrawls/verify`: whether a request is of the crawler that its user agent names. Needs Node or Bun. */
import { detector } from "./detect/built-in/detector.ts";
import type { UserAgent, Verdict } from "./detect/verdict.ts";
import type { Evidence, Verifier } from "./verify/verification.ts";

export type { Verdict } from "./detect/verdict.ts";
export type { Verification, VerificationMethod, VerificationStatus } from "./detect/verification.ts";
export type { RequestHeaders } from "./verify/headers.ts";
export type { Evidence } from "./verify/verification.ts";

export interface VerifyOptions {
  /** How long to wait for DNS and for keys, in milliseconds; what takes longer is unverifiable for now. Default 5000. */
  readonly waitMs?: number;
}

/** Made at the first question: the lists are a third of a megabyte. */
let verifier: Promise<Verifier> | undefined;

/**
 * The verdict on `useragent`, and for a crawler `verification`: verified, spoofed or unverifiable, by which method and why.
 * `ip` is the client's address, `headers` are the request's fields. Rejects with a TypeError for no string; answers all else.
 */
export async function verify(useragent: UserAgent, evidence: Evidence, options: VerifyOptions = {}): Promise<Verdict> {
  const verdict = detector.check(useragent);
  verifier ??= import("./verify/default.ts").then(({ createDefaultVerifier }) => createDefaultVerifier());
  const verification = await (await verifier).verify(verdict, evidence, options.waitMs ?? 5000);
  return verification === undefined || !verdict.crawler ? verdict : { ...verdict, verification };
}
