/**
 * Puts the methods together: what a request's signatures, the operator's lists of addresses and DNS say about the crawler that
 * a verdict names. Says "spoofed" only where the operator documents that a "no" of the method is one.
 */
import type { Proof, ProofMethod } from "../catalogue/proof.ts";
import type { Verdict } from "../detect/verdict.ts";
import type { Verification } from "../detect/verification.ts";
import { type Address, toAddress } from "./address.ts";
import type { ProofOf } from "./claims.ts";
import type { KeyDirectory } from "./key-directory.ts";
import { type Lookups, within } from "./lookups.ts";
import type { Nonces } from "./nonces.ts";
import { maskAddress, toPrefixText } from "./prefix.ts";
import { isPublic } from "./public-address.ts";
import type { RangeLists } from "./range-lists.ts";
import { checkSignatures } from "./signature-claims.ts";
import type { Evidence, Verifier } from "./verification.ts";

/** What a verifier is made of. */
export interface VerifierParts {
  readonly proofOf: ProofOf;
  readonly lists: RangeLists;
  readonly lookups: Lookups;
  readonly keys: KeyDirectory;
  readonly nonces: Nonces;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** A list that is older may lack addresses that its operator has added: it still verifies, but contradicts nobody. */
const freshMs = 7 * 86_400_000;

/** A verification, and what to wait for to know more. */
interface Answer {
  readonly verification: Verification;
  readonly wait?: Promise<unknown>;
}

/** Makes a verifier. */
export function createVerifier(parts: VerifierParts): Verifier {
  return {
    known: (verdict, evidence) => judge(verdict, evidence, parts)?.verification,
    async verify(verdict, evidence, waitMs) {
      let answer = judge(verdict, evidence, parts);
      const end = performance.now() + waitMs;
      // A key first, then a name: each answer may lead to the next question, and no further.
      for (let round = 0; round < 2 && answer?.wait !== undefined; round++) {
        const left = end - performance.now();
        if (left <= 0) break;
        await within(left, answer.wait, true).catch(() => {});
        answer = judge(verdict, evidence, parts);
      }
      return answer?.verification;
    },
  };
}

function judge(verdict: Verdict, evidence: Evidence, parts: VerifierParts): Answer | undefined {
  if (!verdict.crawler) return undefined;
  const proof = parts.proofOf(verdict.name);
  if (proof === undefined) return unverifiable(`no way to verify ${verdict.name ?? "this crawler"} is known`);
  const signed = proof.agents && checkSignatures(evidence, proof.agents, parts);
  if (signed?.result === "signed")
    return { verification: toVerification("verified", "signature", `signed by ${signed.agent}`, parts.now()) };
  const byAddress = judgeAddress(evidence.ip, proof, parts);
  if (byAddress.verification.status === "verified") return byAddress;
  if (signed?.result === "pending") return { ...unverifiable("being looked up"), wait: signed.wait };
  // A signature that does not count is worth a word, but a proxy may have changed what it covers: it contradicts nobody.
  if (signed?.result === "unsigned" && byAddress.verification.method === "none" && byAddress.wait === undefined)
    return unverifiable(`${signed.why}; ${byAddress.verification.reason}`);
  return byAddress;
}

function judgeAddress(ip: string | undefined, proof: Proof, parts: VerifierParts): Answer {
  const address = ip === undefined ? undefined : toAddress(ip);
  if (address === undefined) return unverifiable("the client's address is not known");
  // A proxy that was not told about, rather than a crawler's imitator.
  if (!isPublic(address)) return unverifiable(`${ip} is not an address of the Internet`);
  const inList = judgeByList(address, proof, parts);
  if (inList?.status === "verified" || proof.dns === undefined) {
    const verification = inList ?? unverifiable("its operator's addresses are not known yet").verification;
    return { verification };
  }
  const byName = judgeByName(address, proof, proof.dns, parts);
  // What the list cannot tell for certain, the name may, and the other way round.
  if (inList?.status === "spoofed" && byName.verification.status === "unverifiable" && byName.wait === undefined)
    return { verification: inList };
  return byName;
}

function judgeByList(address: Address, proof: Proof, { lists, now }: VerifierParts): Verification | undefined {
  const list = proof.ranges && lists.find(proof.id);
  if (list === undefined) return undefined;
  const length = list.table.find(address);
  if (length !== undefined) {
    const prefix = toPrefixText({ address: maskAddress(address, length), length });
    return toVerification("verified", "ip-range", `within ${prefix} of ${sourcesOf(proof)}`, list.asOf);
  }
  const absent = `not in ${sourcesOf(proof)}`;
  if (!isConclusive(proof, "ip-range"))
    return toVerification("unverifiable", "ip-range", `${absent}, which need not be complete`, list.asOf);
  if (list.asOf + freshMs < now())
    return toVerification("unverifiable", "ip-range", `${absent}, whose copy here may be out of date`, list.asOf);
  return toVerification("spoofed", "ip-range", absent, list.asOf);
}

function judgeByName(address: Address, proof: Proof, domains: readonly string[], { lookups }: VerifierParts): Answer {
  const lookup = lookups.known(address, domains);
  if (lookup === undefined) return { ...unverifiable("being looked up"), wait: lookups.ask(address, domains) };
  if (lookup.result === "failed") return unverifiable(`DNS could not be asked: ${lookup.why}`);
  const answer = (status: Verification["status"], reason: string): Answer => ({
    verification: toVerification(status, "dns", reason, lookup.at),
  });
  if (lookup.result === "confirmed") return answer("verified", `its name is ${lookup.name}`);
  const reason =
    lookup.result === "contradicted"
      ? `its name says ${lookup.name}, which is at other addresses`
      : `its name is ${lookup.name ?? "missing"}, not below ${domains.join(", ")}`;
  return answer(isConclusive(proof, "dns") ? "spoofed" : "unverifiable", reason);
}

function isConclusive(proof: Proof, method: ProofMethod): boolean {
  return proof.conclusive.some((conclusive) => conclusive === method);
}

function sourcesOf({ ranges = [] }: Proof): string {
  return ranges.map(({ url }) => url).join(" and ");
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
