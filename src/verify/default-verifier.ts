/** The verifier of the facts that this package was built with: proofs, lists, and the network that the runtime has. */

import { proofs as proofsText, ranges as rangesText } from "../generated/verification.ts";
import { createDnsResolver } from "./dns/dns-resolver.ts";
import { createLookups } from "./dns/lookups.ts";
import type { Resolver } from "./dns/reverse-dns.ts";
import type { Verifier } from "./evidence.ts";
import { createGet, type Get } from "./https-get.ts";
import { createRangeLists, type RangeCopy, type RangeLists } from "./lists/range-lists.ts";
import type { Proof } from "./proof.ts";
import { createProofOf } from "./proof-of.ts";
import { parseAuthority } from "./signature/authority.ts";
import { createKeyDirectory } from "./signature/key-directory.ts";
import { createSignatureUses, type SignatureUses } from "./signature/signature-uses.ts";
import { createVerifier } from "./verifier.ts";

/** What operators publish about their crawlers. */
export const proofs: readonly Proof[] = JSON.parse(proofsText) as Proof[];

/** Parts that replace those of the package or the runtime. */
export interface DefaultVerifierOptions {
  /** The site's own names; without any, no signature is verified. */
  readonly authority?: readonly string[];
  readonly proofs?: readonly Proof[];
  readonly lists?: RangeLists;
  readonly resolver?: Resolver;
  readonly get?: Get;
  /** Where used signatures are stored; default: a separate memory. */
  readonly uses?: SignatureUses;
  readonly now?: () => number;
}

/** The lists as the package ships them. */
export function createDefaultLists(): RangeLists {
  return createRangeLists(JSON.parse(rangesText) as Record<string, RangeCopy>);
}

/** Makes a verifier; without options, of the package's facts and the runtime's network. */
export function createDefaultVerifier(options: DefaultVerifierOptions = {}): Verifier {
  const { now = Date.now, lists = createDefaultLists() } = options;
  return createVerifier({
    proofOf: createProofOf(options.proofs ?? proofs),
    lists,
    lookups: createLookups({ resolver: options.resolver ?? createDnsResolver(), now }),
    keys: createKeyDirectory({ get: options.get ?? createGet(), now }),
    uses: options.uses ?? createSignatureUses(now),
    authority: new Set(options.authority?.map(parseAuthority)),
    now,
  });
}
