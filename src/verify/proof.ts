/** What operators publish about how their crawlers can be verified: address lists, DNS names, signing keys. Types only. */
import type { RangeFormat } from "./lists/range-formats.ts";

/** How a crawler can be verified. */
export type ProofMethod = "ip-range" | "dns" | "signature";

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
