/** Verifies claims: waits for what is being looked up, and confirms what must be confirmed before it counts. judge.ts decides. */

import { toAddress } from "../address/address.ts";
import { entryOf } from "../detect/matched-entry.ts";
import type { Proof, Verification } from "../detect/verification.ts";
import { toOwnPrefixes } from "./address-evidence.ts";
import type { Claim, ClaimVerifier, Evidence, LookupClient } from "./evidence.ts";
import type { Finding, VerificationInput } from "./finding.ts";
import { type JudgeParts, judge } from "./judge.ts";
import type { CrawlerAddresses } from "./lists/crawler-addresses.ts";
import { toOperatorLists } from "./lists/operator-lists.ts";
import type { ProxyWatch } from "./proxy-watch.ts";
import { createExpectSigner } from "./signature/who-may-sign.ts";

/** What a verifier is made of. */
export interface VerifierParts extends Omit<JudgeParts, "ownPrefixes" | "expectSigner"> {
  readonly proofs: readonly Proof[];
  /** Agents that may sign beside the agents of the proofs, each read by parseSigner. */
  readonly signers: readonly string[];
  readonly crawlerAddresses: CrawlerAddresses;
  /** Notes the addresses of requests. */
  readonly watch: ProxyWatch;
}

type Known = Verification | undefined;

/** Makes a verifier. */
export function createClaimVerifier(given: VerifierParts): ClaimVerifier {
  const { proofs, signers, lists, crawlerAddresses, watch } = given;
  const parts = { ...given, ownPrefixes: toOwnPrefixes(proofs), expectSigner: createExpectSigner(proofs, signers) };
  const proofOf: ReadonlyMap<string | undefined, Proof> = new Map(
    proofs.flatMap((proof) => proof.crawlers.map((name) => [name, proof])),
  );

  function toVerificationInput(
    claim: Claim,
    evidence: Evidence,
    lookupClient?: LookupClient,
    refusal?: VerificationInput["refusal"],
  ): VerificationInput {
    const proof = claim.crawler ? proofOf.get(entryOf(claim)) : undefined;
    const address = evidence.ip === undefined ? undefined : toAddress(evidence.ip);
    return { claim, evidence, lookupClient, proof, address, refusal };
  }

  function ask(question: VerificationInput): Finding | undefined {
    const finding = judge(question, parts);
    if (question.proof && question.address !== undefined)
      watch.noteCrawler(question.address, finding?.status === "verified");
    return finding;
  }

  async function wait(question: VerificationInput, first: Finding, waitMs: number): Promise<Known> {
    const late = new Promise((resolve) => {
      AbortSignal.timeout(Math.min(Math.ceil(waitMs), maxWaitMs)).addEventListener("abort", resolve);
    });
    let finding: Finding | undefined = first;
    // First a key, then a name: the result for the key may require a DNS lookup.
    for (let round = 0; round < 2 && finding?.wait !== undefined; round++) {
      await Promise.race([finding.wait, late]);
      finding = ask(question);
    }
    return settle(question, finding);
  }

  function settle(question: VerificationInput, finding: Finding | undefined): Known {
    const reason = finding?.confirm?.();
    if (reason === undefined) return toVerification(question, finding);
    const refused = { ...question, refusal: { reason, agent: finding?.agent } };
    return toVerification(refused, ask(refused));
  }

  return {
    lists: () => toOperatorLists(proofs, lists),
    crawlerAddress(ip) {
      const address = toAddress(ip);
      if (address === undefined) return undefined;
      watch.noteClient(address);
      return crawlerAddresses.find(address);
    },
    known(claim, evidence, lookupClient) {
      if (!claim.crawler) return undefined;
      const question = toVerificationInput(claim, evidence, lookupClient, notInLines);
      return toVerification(question, ask(question));
    },
    verify(claim, evidence, waitMs, lookupClient) {
      const question = toVerificationInput(claim, evidence, lookupClient);
      const finding = ask(question);
      return finding?.wait !== undefined && waitMs > 0 ? wait(question, finding, waitMs) : settle(question, finding);
    },
  };
}

/** The longest time of a timer. */
const maxWaitMs = 2 ** 31 - 1;

const notInLines = { reason: "signatures are verified by Check and in arrays, not in lines" };

function toVerification({ proof }: VerificationInput, finding: Finding | undefined): Known {
  if (finding === undefined) return undefined;
  const { method, reason, asOf, agent } = finding;
  const status = finding.status === "doubtful" ? "unverifiable" : finding.status;
  const isProvable = proof !== undefined && proof.conclusive.length > 0;
  return {
    status,
    method,
    reason,
    ...(asOf !== undefined && { asOf: new Date(asOf).toISOString() }),
    ...(status === "unverifiable" && isProvable && { unproven: true }),
    ...(agent && { agent }),
  };
}
