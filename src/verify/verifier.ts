/**
 * Combines the methods: what a request's signatures, the operator's lists of addresses and DNS say about the crawler that
 * a verdict names. The status is `spoofed` only if the operator documents the method as complete.
 */

import type { Proof, ProofMethod, Verification } from "../detect/verification.ts";
import { type Address, toAddress } from "./address/address.ts";
import { maskAddress, toPrefixText } from "./address/prefix.ts";
import { isPublic } from "./address/public-address.ts";
import { type Lookups, within } from "./dns/lookups.ts";
import type { Asker, Claim, Evidence, Verifier } from "./evidence.ts";
import type { RangeList, RangeLists } from "./lists/range-lists.ts";
import { judgeByPrefixes } from "./own-prefixes.ts";
import type { ProofOf } from "./proof-of.ts";
import type { KeyDirectory } from "./signature/key-directory.ts";
import { toFields } from "./signature/request-headers.ts";
import { checkSignatures, type SignatureResult } from "./signature/signature-claims.ts";
import type { SignatureUse, SignatureUses, UseResult } from "./signature/signature-uses.ts";

/** What a verifier is made of. */
export interface VerifierParts {
  readonly proofOf: ProofOf;
  readonly lists: RangeLists;
  readonly lookups: Lookups;
  readonly keys: KeyDirectory;
  readonly uses: SignatureUses;
  /** The site's own names, as `toAuthority` writes them. */
  readonly authority: ReadonlySet<string>;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** A list that is older may lack addresses that its operator has added: it can verify a claim, but not refute one. */
const freshMs = 7 * 86_400_000;

/** A verification, what to wait for to know more, and the use of a signature that it counts on. */
interface Answer {
  readonly verification: Verification;
  readonly wait?: Promise<unknown>;
  readonly use?: SignatureUse;
}

/** Why a signature that verifies does not count. */
const refusals = {
  replay: "the signature was used before, by another client or by one with an unknown address",
  full: "too many signatures are stored already",
  late: "no answer in time whether the signature was used before",
  line: "signatures are verified by Check and in arrays, not in lines",
} as const;

/** Makes a verifier. */
export function createVerifier(parts: VerifierParts): Verifier {
  type Known = Verification | undefined;

  async function wait(first: Answer, waitMs: number, again: (refusal?: Refusal) => Answer | undefined): Promise<Known> {
    let answer: Answer | undefined = first;
    const end = performance.now() + waitMs;
    // A key first, then a name: each answer may lead to the next question, and no further.
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
    const settle = (result: UseResult): Known =>
      result === "counts" ? answer.verification : again(result)?.verification;
    const result = parts.uses.note(answer.use);
    return result instanceof Promise ? result.then(settle) : settle(result);
  }

  return {
    known: (claim, evidence, asker) => judge(claim, evidence, parts, asker, "line")?.verification,
    verify(claim, evidence, waitMs, asker) {
      const judgeAgain = (refusal?: Refusal) => judge(claim, evidence, parts, asker, refusal);
      const answer = judgeAgain();
      return waitMs > 0 && answer?.wait !== undefined ? wait(answer, waitMs, judgeAgain) : conclude(answer, judgeAgain);
    },
  };
}

type Refusal = keyof typeof refusals;

function judge(
  { crawler, name }: Claim,
  evidence: Evidence,
  parts: VerifierParts,
  asker: Asker | undefined,
  refusal: Refusal | undefined,
): Answer | undefined {
  if (!crawler) return undefined;
  const proof = parts.proofOf(name);
  if (proof === undefined) return unverifiable(`no method to verify ${name ?? "this crawler"} is known`);
  const answer = judgeByProof(proof, evidence, parts, asker, refusal);
  if (answer.verification.status !== "unverifiable" || proof.conclusive.length === 0) return answer;
  return { ...answer, verification: { ...answer.verification, unproven: true } };
}

function judgeByProof(
  proof: Proof,
  evidence: Evidence,
  parts: VerifierParts,
  asker: Asker | undefined,
  refusal: Refusal | undefined,
): Answer {
  const signed = proof.agents && judgeSignatures(evidence, proof.agents, parts, refusal);
  if (signed?.result === "signed") {
    const verification = toVerification("verified", "signature", `signed by ${signed.agent}`, parts.now());
    return { verification, use: signed.use };
  }
  const byAddress = judgeAddress(evidence, proof, parts, asker);
  if (byAddress.verification.status === "verified") return byAddress;
  if (signed?.result === "pending") return { ...unverifiable("being looked up"), wait: signed.wait };
  // An invalid signature is mentioned, but refutes nothing: a proxy may have changed what it covers.
  if (signed?.result === "unsigned" && byAddress.wait === undefined)
    return { verification: { ...byAddress.verification, reason: `${signed.why}; ${byAddress.verification.reason}` } };
  return byAddress;
}

function judgeSignatures(
  evidence: Evidence,
  agents: readonly string[],
  parts: VerifierParts,
  refusal: Refusal | undefined,
): SignatureResult | undefined {
  if (refusal === undefined) return checkSignatures(evidence, agents, parts);
  const isSigned = evidence.headers !== undefined && toFields(evidence.headers)("signature-input") !== undefined;
  return isSigned ? { result: "unsigned", why: refusals[refusal] } : undefined;
}

/** What was found in a list, by the evidence it was found for: repeated requests are not searched again. */
const found = new WeakMap<Evidence, { readonly ip: string; readonly list: RangeList; readonly answer: Answer }>();

function judgeAddress(evidence: Evidence, proof: Proof, parts: VerifierParts, asker: Asker | undefined): Answer {
  const { ip } = evidence;
  const list = proof.ranges && parts.lists.find(proof.id);
  const before = found.get(evidence);
  if (before !== undefined && before.ip === ip && before.list === list) return before.answer;
  const address = ip === undefined ? undefined : toAddress(ip);
  if (address === undefined) return unverifiable(`the client's address is ${ip ? "not an IP address" : "unknown"}`);
  const inPrefixes = judgeByPrefixes(address, proof, parts.now());
  if (inPrefixes?.status === "verified") return { verification: inPrefixes };
  const inList = (list && judgeByList(address, proof, list, parts.now())) ?? (proof.ranges ? undefined : inPrefixes);
  if (ip !== undefined && list !== undefined && inList?.status === "verified") {
    const answer = { verification: inList };
    found.set(evidence, { ip, list, answer });
    return answer;
  }
  // Probably a proxy that is not configured, not an imitator.
  if (!isPublic(address)) return unverifiable(`${ip} is not a public address`);
  if (proof.dns === undefined) {
    return inList ? { verification: inList } : unverifiable("its operator's addresses are not loaded yet");
  }
  const byName = judgeByName(address, proof, proof.dns, parts, asker);
  // DNS may decide what the list cannot, and vice versa.
  if (inList?.status === "spoofed" && byName.verification.status === "unverifiable" && byName.wait === undefined)
    return { verification: inList };
  return byName;
}

function judgeByList(address: Address, proof: Proof, list: RangeList, now: number): Verification {
  const { asOfText: asOf, sources } = textsOf(list, proof);
  const length = list.table.find(address);
  if (length !== undefined) {
    const prefix = toPrefixText({ address: maskAddress(address, length), length });
    return { status: "verified", method: "ip-range", reason: `within ${prefix} of ${sources}`, asOf };
  }
  const absent = `not in ${sources}`;
  const unverifiable = { status: "unverifiable", method: "ip-range", asOf } as const;
  if (!isConclusive(proof, "ip-range")) return { ...unverifiable, reason: `${absent}, which need not be complete` };
  if (list.asOf + freshMs < now) return { ...unverifiable, reason: `${absent}, and the copy here may be out of date` };
  // The list may have been published incompletely.
  if (list.previous?.table.find(address) !== undefined) return { ...unverifiable, reason: `${absent} any more` };
  return { status: "spoofed", method: "ip-range", reason: absent, asOf };
}

interface ListTexts {
  readonly asOfText: string;
  readonly sources: string;
}

/** The texts about each list, built once: building them takes longer than finding an address. */
const texts = new WeakMap<RangeList, ListTexts>();

function textsOf(list: RangeList, { ranges = [] }: Proof): ListTexts {
  let known = texts.get(list);
  if (known === undefined) {
    known = { asOfText: new Date(list.asOf).toISOString(), sources: ranges.map(({ url }) => url).join(" and ") };
    texts.set(list, known);
  }
  return known;
}

function judgeByName(
  address: Address,
  proof: Proof,
  domains: readonly string[],
  { lookups }: VerifierParts,
  asker: Asker | undefined,
): Answer {
  const lookup = lookups.known(address, domains);
  if (lookup === undefined) {
    const wait = lookups.ask(address, domains, isConclusive(proof, "dns"), asker);
    return wait === undefined ? unverifiable("too many lookups at once") : { ...unverifiable("being looked up"), wait };
  }
  if (lookup.result === "failed") return unverifiable(`DNS failed: ${lookup.why}`);
  const answer = (status: Verification["status"], reason: string): Answer => ({
    verification: toVerification(status, "dns", reason, lookup.at),
  });
  if (lookup.result === "confirmed") return answer("verified", `its name is ${lookup.name}`);
  const reason =
    lookup.result === "contradicted"
      ? `its name is ${lookup.name}, which resolves to other addresses`
      : `its name is ${lookup.name ?? "missing"}, not below ${domains.join(", ")}`;
  return answer(isConclusive(proof, "dns") ? "spoofed" : "unverifiable", reason);
}

function isConclusive(proof: Proof, method: ProofMethod): boolean {
  return proof.conclusive.some((conclusive) => conclusive === method);
}

function unverifiable(reason: string): Answer {
  return { verification: { status: "unverifiable", method: "none", reason } };
}

function toVerification(
  status: Verification["status"],
  method: Verification["method"],
  reason: string,
  asOf: number,
): Verification {
  return { status, method, reason, asOf: new Date(asOf).toISOString() };
}
