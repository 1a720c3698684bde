/**
 * Combines the methods: what a request's signatures, the operator's lists of addresses and DNS say about the crawler that
 * a verdict names. The status is `spoofed` only if the operator documents the method as complete.
 */

import type { Proof, Verification } from "../detect/verification.ts";
import { within } from "./dns/lookups.ts";
import type { Asker, Claim, ClaimVerifier, Evidence } from "./evidence.ts";
import {
  type AddressParts,
  type Answer,
  judgeAddress,
  toVerification,
  unverifiable,
  withAgent,
} from "./judge-address.ts";
import { toOperatorLists } from "./lists/operator-lists.ts";
import { hasField } from "./request-headers.ts";
import type { KeyDirectory } from "./signature/key-directory.ts";
import { checkSignatures, type SignatureResult } from "./signature/signature-claims.ts";
import type { SignatureUses, UseResult } from "./signature/signature-uses.ts";
import { createRefuseSigner, type RefuseSigner } from "./who-may-sign.ts";

/** What a verifier is made of. */
export interface VerifierParts extends AddressParts {
  readonly proofs: readonly Proof[];
  readonly keys: KeyDirectory;
  /** Agents that may sign beside the agents of the proofs, each read by parseSigner. */
  readonly signers: readonly string[];
  readonly uses: SignatureUses;
  /** The site's own names, as `toAuthority` writes them. */
  readonly authority: ReadonlySet<string>;
}

/** The parts, and what is derived from the proofs. */
interface Parts extends VerifierParts {
  readonly proofOf: ReadonlyMap<string | undefined, Proof>;
  readonly refuseSigner: RefuseSigner;
}

/** Why a signature that verifies does not count. */
const refusals = {
  replay: "the signature was used before, by another client or by one with an unknown address",
  full: "too many signatures are stored already",
  late: "no answer in time whether the signature was used before",
  line: "signatures are verified by Check and in arrays, not in lines",
} as const;

/** Makes a verifier. */
export function createClaimVerifier(given: VerifierParts): ClaimVerifier {
  const { proofs, signers, lists } = given;
  const parts: Parts = {
    ...given,
    proofOf: new Map(proofs.flatMap((proof) => proof.crawlers.map((name) => [name, proof]))),
    refuseSigner: createRefuseSigner(proofs, signers),
  };
  type Known = Verification | undefined;

  async function wait(first: Answer, waitMs: number, again: (refusal?: Refusal) => Answer | undefined): Promise<Known> {
    let answer: Answer | undefined = first;
    const end = performance.now() + waitMs;
    // A key first, then a name: the answer about the key may lead to the question about the name.
    for (let round = 0; round < 2 && answer?.wait !== undefined; round++) {
      const left = end - performance.now();
      if (left <= 0) break;
      await within(left, answer.wait, true).catch(() => {});
      answer = again();
    }
    return conclude(answer, again);
  }

  function conclude(
    answer: Answer | undefined,
    again: (refusal?: Refusal) => Answer | undefined,
  ): Known | Promise<Known> {
    if (answer?.use === undefined) return answer?.verification;
    const settle = (result: UseResult): Known => {
      if (result === "counts") return answer.verification;
      const refused = again(result)?.verification;
      return refused?.status === "verified" ? refused : refused && withAgent(refused, answer.verification.agent);
    };
    const result = parts.uses.note(answer.use);
    return result instanceof Promise ? result.then(settle) : settle(result);
  }

  return {
    lists: () => toOperatorLists(proofs, lists),
    known: (claim, evidence, asker) => judge({ claim, evidence, asker, refusal: "line" }, parts)?.verification,
    verify(claim, evidence, waitMs, asker) {
      const judgeAgain = (refusal?: Refusal) => judge({ claim, evidence, asker, refusal }, parts);
      const answer = judgeAgain();
      return waitMs > 0 && answer?.wait !== undefined ? wait(answer, waitMs, judgeAgain) : conclude(answer, judgeAgain);
    },
  };
}

type Refusal = keyof typeof refusals;

interface Request {
  readonly claim: Claim;
  readonly evidence: Evidence;
  readonly asker: Asker | undefined;
  readonly refusal: Refusal | undefined;
}

function judge(request: Request, parts: Parts): Answer | undefined {
  const { crawler, name } = request.claim;
  const proof = crawler ? parts.proofOf.get(name) : undefined;
  if (proof === undefined) return judgeUnproved(request, parts);
  const answer = judgeByProof(proof, request, parts);
  if (answer.verification.status !== "unverifiable" || proof.conclusive.length === 0) return answer;
  return { ...answer, verification: { ...answer.verification, unproven: true } };
}

/** Of a crawler without a documented method, and of a person's user agent, only signatures say something. */
function judgeUnproved(request: Request, parts: Parts): Answer | undefined {
  const { crawler, name } = request.claim;
  // Lines say nothing about people.
  const signed = crawler || request.refusal !== "line" ? judgeSignatures(request, undefined, parts) : undefined;
  const unknown = crawler ? `no method to verify ${name ?? "this crawler"} is known` : undefined;
  if (signed === undefined) return unknown === undefined ? undefined : unverifiable(unknown);
  if (signed.result !== "unsigned") return bySignature(signed, parts);
  return unverifiable(unknown === undefined ? signed.why : `${signed.why}; ${unknown}`, signed.agent);
}

function judgeByProof(proof: Proof, request: Request, parts: Parts): Answer {
  const signed = judgeSignatures(request, proof, parts);
  if (signed?.result === "signed") return bySignature(signed, parts);
  const byAddress = judgeAddress(request.evidence, proof, parts, request.asker);
  if (byAddress.verification.status === "verified") return byAddress;
  if (signed?.result === "pending") return bySignature(signed, parts);
  // An invalid signature is mentioned, but refutes nothing: a proxy may have changed what it covers.
  if (signed?.result === "unsigned" && byAddress.wait === undefined) {
    const reason = `${signed.why}; ${byAddress.verification.reason}`;
    return { verification: withAgent({ ...byAddress.verification, reason }, signed.agent) };
  }
  return byAddress;
}

function bySignature(signed: Exclude<SignatureResult, { result: "unsigned" }>, parts: Parts): Answer {
  if (signed.result === "pending") return { ...unverifiable("being looked up", signed.agent), wait: signed.wait };
  const verification = toVerification("verified", "signature", `signed by ${signed.text}`, parts.now());
  return { verification: withAgent(verification, signed.agent), use: signed.use };
}

function judgeSignatures(
  { claim, evidence, asker, refusal }: Request,
  proof: Proof | undefined,
  parts: Parts,
): SignatureResult | undefined {
  if (evidence.headers === undefined || !hasField(evidence.headers, "signature-input")) return undefined;
  if (refusal !== undefined) return { result: "unsigned", why: refusals[refusal] };
  return checkSignatures(evidence, (agent) => parts.refuseSigner(claim, proof, agent), parts, asker);
}
