/** Judges claims: queries each kind of evidence in order of strength, and combines the findings. */

import { isPublic } from "../address/public-address.ts";
import { type AddressParts, byList, byName, byOwnPrefixes, downloadList } from "./address-evidence.ts";
import { type Finding, isPending, type Pending, unverifiable, type VerificationInput } from "./finding.ts";
import type { Networks } from "./networks/networks.ts";
import { bySignature, type SignatureParts } from "./signature/by-signature.ts";

export type JudgeParts = AddressParts & SignatureParts & Pick<Networks, "findCdn">;

/** The kinds of evidence, the strongest first: what verifies a claim decides alone, and weaker evidence is not asked. */
const kinds: readonly ((question: VerificationInput, parts: JudgeParts) => Finding | Pending | undefined)[] = [
  bySignature,
  byOwnPrefixes,
  byList,
  byName,
];

/** What the evidence says, or the first that is being looked up; undefined for a person without a signature. */
export function judge(question: VerificationInput, parts: JudgeParts): Finding | Pending | undefined {
  const findings: Finding[] = [];
  let pending: Pending | undefined;
  for (const kind of kinds) {
    const answer = kind(question, parts);
    if (isPending(answer)) pending ??= answer;
    else if (answer?.status === "verified") return answer;
    else if (answer !== undefined) findings.push(answer);
  }
  if (pending !== undefined) return pending;
  const nothing = findings.every(({ isRemark }) => isRemark) ? byNothing(question) : undefined;
  const finding = strongest(nothing === undefined ? findings : [...findings, nothing]);
  return finding?.status === "spoofed" ? (byCdn(question, parts) ?? finding) : finding;
}

/** Why a claim is not refuted after all: the address may be that of a proxy between the client and the site. */
function byCdn({ address }: VerificationInput, { findCdn }: JudgeParts): Finding | undefined {
  const cdn = address === undefined ? undefined : findCdn(address);
  return (
    cdn &&
    unverifiable(`the address is ${cdn.provider}'s`, `read the client's address (trust-proxy, ${cdn.clientHeader})`)
  );
}

/** Combines findings none of which verifies. The last one knows best, because a list can be older than DNS. */
function strongest(findings: readonly Finding[]): Finding | undefined {
  if (findings.length < 2) return findings[0];
  const doubtAt = findings.findIndex(({ status }) => status === "doubtful");
  const decisive = findings[doubtAt] ?? findings.findLast(({ status }) => status === "spoofed") ?? findings.at(-1)!;
  const said = findings.filter(
    (finding, at) => finding === decisive || finding.isRemark || (doubtAt >= 0 && at > doubtAt),
  );
  const reason = said.map((finding) => finding.reason).join("; ");
  return { ...decisive, reason, agent: findings.find(({ agent }) => agent !== undefined)?.agent };
}

/** Why nothing is known. */
function byNothing({ claim, evidence, proof, address }: VerificationInput): Finding | undefined {
  if (proof === undefined)
    return claim.crawler
      ? unverifiable(
          `no method to verify ${claim.name ?? "this crawler"} is known`,
          "add its addresses to a custom catalogue if you know them",
        )
      : undefined;
  if (address === undefined)
    return evidence.ip
      ? unverifiable("the client's address is not an IP address", "pass one of IPv4 or IPv6")
      : unverifiable("the client's address is unknown", "pass it as ip");
  if (!isPublic(address))
    return unverifiable(`${evidence.ip} is not a public address`, "pass the client's own address (trust-proxy)");
  return unverifiable("its operator's addresses are not loaded yet", downloadList);
}
