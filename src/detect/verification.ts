/** What verifying needs of the catalogue and adds to a verdict: types and their words. src/verify/ does it. */

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

/** The formats in which operators publish lists of addresses. */
export type RangeFormat = "json" | "lines" | "geofeed" | "html";

/** How a crawler can be verified. */
export type ProofMethod = Exclude<VerificationMethod, "none">;

/** One way in which an operator lets its crawlers be verified: a row of `data/verification.yaml`. */
export interface Proof {
  readonly id: string;
  /** The names of the entries that it verifies. */
  readonly crawlers: readonly string[];
  /** The operator's page that documents the proof. */
  readonly page: string;
  /** The operator's address lists; together they are one list. */
  readonly ranges?: readonly { readonly url: string; readonly format: RangeFormat }[] | undefined;
  /** Domains that the names of the crawlers' addresses end with. */
  readonly dns?: readonly string[] | undefined;
  /** Hosts whose key directories sign for the operator's crawlers. */
  readonly agents?: readonly string[] | undefined;
  /** The methods that are documented as complete: other requests are not the operator's crawler. */
  readonly conclusive: readonly Exclude<ProofMethod, "signature">[];
  /** A remark for docs/verification.md. */
  readonly note?: string | undefined;
}

/** An offline copy of an operator's list of addresses. */
export interface RangeCopy {
  /** The date of the copy, such as `2026-05-05`. */
  readonly asOf: string;
  /** One a line. */
  readonly prefixes: string;
}

/** What a catalogue knows about verifying its crawlers. */
export interface VerificationFacts {
  readonly proofs: readonly Proof[];
  /** Copies of lists, by the id of the proof. */
  readonly ranges: Readonly<Record<string, RangeCopy>>;
}

/** The words of policies that choose by verification. */
export const verificationWords = [...verificationStatuses, "unproven"] as const;
export type VerificationWord = (typeof verificationWords)[number];

export function matchesWord(verification: Verification | undefined, word: VerificationWord): boolean {
  return word === "unproven" ? verification?.unproven === true : verification?.status === word;
}
