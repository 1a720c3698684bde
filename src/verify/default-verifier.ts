/** A verifier of a catalogue's crawlers, with the network that the runtime has. */

import type { VerificationFacts } from "../detect/verification.ts";
import { createDnsResolver } from "./dns/dns-resolver.ts";
import { createLookups, type Lookups } from "./dns/lookups.ts";
import type { Resolver } from "./dns/reverse-dns.ts";
import type { Verifier } from "./evidence.ts";
import { createGet, type Get } from "./https-get.ts";
import { toOperatorLists } from "./lists/operator-lists.ts";
import { createRangeLists, type RangeLists } from "./lists/range-lists.ts";
import { createProofOf } from "./proof-of.ts";
import { parseAuthority } from "./signature/authority.ts";
import { createKeyDirectory, type KeyDirectory } from "./signature/key-directory.ts";
import { createSignatureUses, type SignatureUses } from "./signature/signature-uses.ts";
import { createVerifier } from "./verifier.ts";
import { createRefuseSigner } from "./who-may-sign.ts";

/** Parts that replace those of the catalogue or the runtime. */
export interface DefaultVerifierOptions {
  /** The site's own names; without any, no signature is verified. */
  readonly authority?: readonly string[];
  readonly lists?: RangeLists;
  readonly resolver?: Resolver;
  readonly get?: Get;
  /** Where used signatures are stored; default: a separate memory. */
  readonly uses?: SignatureUses;
  readonly lookups?: Lookups;
  readonly keys?: KeyDirectory;
  /** Addresses of agents that may sign beside those of the catalogue, each read by parseSigner; default: none. */
  readonly signers?: readonly string[];
  readonly now?: () => number;
}

/** Makes a verifier; without options, with the catalogue's copies of lists and the runtime's network. */
export function createDefaultVerifier(
  { proofs, ranges }: VerificationFacts,
  options: DefaultVerifierOptions = {},
): Verifier {
  const { now = Date.now, lists = createRangeLists(ranges), get = createGet(), signers = [] } = options;
  const verifier = createVerifier({
    proofOf: createProofOf(proofs),
    lists,
    lookups: options.lookups ?? createLookups({ resolver: options.resolver ?? createDnsResolver(), now }),
    keys: options.keys ?? createKeyDirectory({ get, now }),
    refuseSigner: createRefuseSigner(proofs, signers),
    uses: options.uses ?? createSignatureUses(now),
    authority: new Set(options.authority?.map(parseAuthority)),
    now,
  });
  return { ...verifier, lists: () => toOperatorLists(proofs, lists) };
}
