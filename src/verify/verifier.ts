/** Verifies claims: waits for what is being looked up, and confirms what must be confirmed before it counts. judge.ts decides. */

import { toAddress } from "../address/address.ts";
import { once } from "../cache/once.ts";
import { entryOf } from "../detect/matched-entry.ts";
import type { Proof, Verification } from "../detect/verification.ts";
import { maxTimerMs } from "../http/within.ts";
import { toOwnPrefixes } from "./address-evidence.ts";
import type { Claim, ClaimVerifier, Evidence, LookupClient } from "./evidence.ts";
import { type Finding, isPending, unverifiable, type VerificationInput } from "./finding.ts";
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
  /** Names the operator of a proof's crawlers, as the catalogue does at the time. */
  readonly operatorOf: (proof: Proof) => string | undefined;
  /** Notes the addresses of requests. */
  readonly watch: ProxyWatch;
}

type Known = Verification | undefined;

/** Makes a verifier. */
export function createClaimVerifier(given: VerifierParts): ClaimVerifier {
  const { proofs, signers, lists, crawlerAddresses, operatorOf, watch } = given;
  const expectSigner = createExpectSigner(proofs, signers, operatorOf);
  const parts = { ...given, ownPrefixes: toOwnPrefixes(proofs), expectSigner };
  const proofOf: ReadonlyMap<string | undefined, Proof> = new Map(
    proofs.flatMap((proof) => proof.crawlers.map((name) => [name, proof])),
  );

  function toVerificationInput(claim: Claim, evidence: Evidence, lookupClient?: LookupClient): VerificationInput {
    const proof = claim.crawler ? proofOf.get(entryOf(claim)) : undefined;
    const address = evidence.ip === undefined ? undefined : toAddress(evidence.ip);
    return { claim, evidence, lookupClient, proof, address, refusal: undefined };
  }

  /** Judges until nothing is being looked up any more, or the time is over. */
  function conclude(question: VerificationInput, time: WaitTime): Known | Promise<Known> {
    const answer = judge(question, parts);
    if (isPending(answer)) {
      if (time.isOver()) return toKnown(question, { ...lookedUp, agent: answer.agent });
      return Promise.race([answer.wait, time.end()]).then(() => conclude(question, time));
    }
    const refusal = answer?.confirm?.();
    if (refusal === undefined) return toKnown(question, answer);
    return conclude({ ...question, refusal: { ...refusal, agent: answer?.agent } }, time);
  }

  function toKnown(question: VerificationInput, finding: Finding | undefined): Known {
    if (question.proof && question.address !== undefined)
      watch.noteCrawler(question.address, finding?.status === "verified");
    return toVerification(question, finding);
  }

  return {
    lists: () => toOperatorLists(proofs, lists),
    crawlerAddress(ip) {
      const address = toAddress(ip);
      if (address === undefined) return undefined;
      watch.noteClient(address);
      return crawlerAddresses.find(address);
    },
    verify(claim, evidence, waitMs, lookupClient) {
      return conclude(toVerificationInput(claim, evidence, lookupClient), createWaitTime(waitMs));
    },
  };
}

const lookedUp = unverifiable("being looked up", "ask again, or wait longer");

/** How long may be waited. */
interface WaitTime {
  isOver(): boolean;
  /** Resolves at the end. */
  end(): Promise<unknown>;
}

/** The time from now on; its timer is started when it is first waited for. */
function createWaitTime(waitMs: number): WaitTime {
  if (waitMs <= 0) return { isOver: () => true, end: () => Promise.resolve() };
  const endMs = performance.now() + waitMs;
  const end = once(
    () =>
      new Promise((resolve) => {
        AbortSignal.timeout(Math.min(Math.ceil(waitMs), maxTimerMs)).addEventListener("abort", resolve);
      }),
  );
  return { isOver: () => performance.now() >= endMs, end };
}

function toVerification({ proof }: VerificationInput, finding: Finding | undefined): Known {
  if (finding === undefined) return undefined;
  const { method, asOf, agent, advice } = finding;
  const status = finding.status === "doubtful" ? "unverifiable" : finding.status;
  const reason = status === "unverifiable" && advice !== undefined ? `${finding.reason}; ${advice}` : finding.reason;
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
