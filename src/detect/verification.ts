/** What verifying adds to a verdict: types and their words, apart from what finds them out. */

export const verificationStatuses = ["verified", "spoofed", "unverifiable"] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

export const verificationMethods = ["ip-range", "dns", "signature", "none"] as const;
export type VerificationMethod = (typeof verificationMethods)[number];

/** Whether a request is of the crawler that its user agent names. */
export interface Verification {
  /** `spoofed` only if the operator's documentation excludes this client. */
  readonly status: VerificationStatus;
  /** What decided; `none` where nothing could. */
  readonly method: VerificationMethod;
  /** In words, with the list, the name or the key that it rests on. */
  readonly reason: string;
  /** When what it rests on was known, in RFC 3339; absent if it rests on nothing. */
  readonly asOf?: string;
  /** Present if the status is `unverifiable` although the operator documents a conclusive method. */
  readonly unproven?: true;
}

/** The words of policies that choose by verification. */
export const verificationWords = [...verificationStatuses, "unproven"] as const;
export type VerificationWord = (typeof verificationWords)[number];

export function matchesWord(verification: Verification | undefined, word: VerificationWord): boolean {
  return word === "unproven" ? verification?.unproven === true : verification?.status === word;
}
