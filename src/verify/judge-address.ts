/** What a client's address says about the crawler that a verdict names: by the operator's lists of addresses, by the addresses in an own catalogue, and by DNS. */

import { type Address, toAddress, toAddressText } from "../address/address.ts";
import { toPrefix, toPrefixText } from "../address/prefix.ts";
import { PrefixTable } from "../address/prefix-table.ts";
import { isPublic } from "../address/public-address.ts";
import type { Proof, ProofMethod, SignatureAgent, Verification } from "../detect/verification.ts";
import type { Lookups } from "./dns/lookups.ts";
import type { OperatorNames } from "./dns/reverse-dns.ts";
import type { Asker, Evidence } from "./evidence.ts";
import { type RangeLists, verifiesUntil } from "./lists/operator-lists.ts";
import type { RangeList } from "./lists/range-list.ts";
import type { SignatureUse } from "./signature/signature-uses.ts";

export interface AddressParts {
  readonly lists: RangeLists;
  readonly lookups: Lookups;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Called with the address of each request that claims to be from a crawler with a proof. */
  readonly watch: (address: Address) => void;
}

/** So many requests from private addresses, and none from a public one, have a proxy in between. */
const mostPrivate = 10;

/** Makes a function that is called with the addresses of crawlers, and warns once if the first ones are all private. */
export function createProxyWatch(warn: (text: string) => void): (address: Address) => void {
  let left = mostPrivate;
  return (address) => {
    if (left === 0) return;
    if (isPublic(address)) left = 0;
    else if (--left === 0)
      warn(
        `the first ${mostPrivate} crawlers to verify all have private addresses, such as ${toAddressText(address)}, which a proxy in front has: ` +
          "no crawler can be verified. Give the number of proxies (`trust-proxy` of the service, `proxies` or `addressOf` of the middleware, " +
          '"trust proxy" of Express), and have the proxy write X-Forwarded-For.',
      );
  };
}

/** A list that is older may lack addresses that its operator has added: it can verify a claim, but not refute one. */
const freshMs = 7 * 86_400_000;

/** A verification, what to wait for to know more, and the use of a signature that it counts on. */
export interface Answer {
  readonly verification: Verification;
  readonly wait?: Promise<unknown>;
  readonly use?: SignatureUse;
}

/** What was found in a list, by the evidence it was found for: repeated requests are not searched again. */
const found = new WeakMap<Evidence, { readonly ip: string; readonly list: RangeList; readonly answer: Answer }>();

export function judgeAddress(evidence: Evidence, proof: Proof, parts: AddressParts, asker: Asker | undefined): Answer {
  const { ip } = evidence;
  const list = proof.ranges && parts.lists.find(proof.id);
  const before = found.get(evidence);
  if (before !== undefined && before.ip === ip && before.list === list) return before.answer;
  const address = ip === undefined ? undefined : toAddress(ip);
  if (address === undefined) return unverifiable(`the client's address is ${ip ? "not an IP address" : "unknown"}`);
  const inPrefixes = judgeByPrefixes(address, proof, parts.now());
  if (inPrefixes?.status === "verified") return { verification: inPrefixes };
  parts.watch(address);
  const inList = (list && judgeByList(address, proof, list, parts.now())) ?? (proof.ranges ? undefined : inPrefixes);
  const isInOldList = inList?.status === "unverifiable" && list?.table.find(address) !== undefined;
  if (ip !== undefined && list !== undefined && inList?.status === "verified") {
    const answer = { verification: inList };
    found.set(evidence, { ip, list, answer });
    return answer;
  }
  // Probably a proxy that is not configured, not an imitator.
  if (!isPublic(address)) return unverifiable(`${ip} is not a public address`);
  if (!hasNames(proof)) {
    return inList ? { verification: inList } : unverifiable("its operator's addresses are not loaded yet");
  }
  const byName = judgeByName(address, proof, parts, asker);
  // DNS may decide what the list cannot, and vice versa.
  if (inList?.status === "spoofed" && byName.verification.status === "unverifiable" && byName.wait === undefined)
    return { verification: inList };
  // The operator may have given up the address, or DNS its name: neither decides.
  if (isInOldList && byName.verification.status !== "verified" && byName.wait === undefined)
    return { verification: { ...inList, reason: `${inList.reason}; ${byName.verification.reason}` } };
  return byName;
}

/** The addresses that an own catalogue names itself, without a list that anyone publishes. */
const tables = new WeakMap<Proof, PrefixTable>();

/** What the prefixes of a proof say about an address; undefined if it has none. */
function judgeByPrefixes(address: Address, proof: Proof, now: number): Verification | undefined {
  if (proof.prefixes === undefined) return undefined;
  let table = tables.get(proof);
  if (table === undefined) {
    table = new PrefixTable(proof.prefixes.flatMap((text) => toPrefix(text) ?? []));
    tables.set(proof, table);
  }
  const known = { method: "ip-range", asOf: new Date(now).toISOString() } as const;
  const prefix = table.find(address);
  if (prefix !== undefined)
    return { ...known, status: "verified", reason: `within ${toPrefixText(prefix)} of the own catalogue` };
  const reason = "not in the prefixes of the own catalogue";
  // With lists, they are complete only together.
  if (proof.conclusive.includes("ip-range") && proof.ranges === undefined)
    return { ...known, status: "spoofed", reason };
  return { ...known, status: "unverifiable", reason: `${reason}, which need not be complete` };
}

function judgeByList(address: Address, proof: Proof, list: RangeList, now: number): Verification {
  const { asOfText: asOf, sources } = textsOf(list, proof);
  const unverifiable = { status: "unverifiable", method: "ip-range", asOf } as const;
  const prefix = list.table.find(address);
  if (prefix !== undefined) {
    const reason = `within ${toPrefixText(prefix)} of ${sources}`;
    if (verifiesUntil(proof, list.asOf, prefix) >= now) return { status: "verified", method: "ip-range", reason, asOf };
    return { ...unverifiable, reason: `${reason}, but the copy here, of ${asOf.slice(0, 10)}, is older than 30 days` };
  }
  const absent = `not in ${sources}`;
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
  proof: Proof & OperatorNames,
  { lookups }: AddressParts,
  asker: Asker | undefined,
): Answer {
  const lookup = lookups.known(address, proof);
  if (lookup === undefined) {
    const wait = lookups.ask(address, proof, isConclusive(proof, "dns"), asker);
    return wait === undefined ? unverifiable("too many lookups at once") : { ...unverifiable("being looked up"), wait };
  }
  if (lookup.result === "failed") return unverifiable(`DNS failed: ${lookup.why}`);
  const answer = (status: Verification["status"], reason: string): Answer => ({
    verification: toVerification(status, "dns", reason, lookup.at),
  });
  if (lookup.result === "confirmed") return answer("verified", `its name is ${lookup.name}`);
  if (lookup.result === "other")
    return answer("unverifiable", `its name is ${lookup.name}: the operator's, but not of this crawler`);
  const reason =
    lookup.result === "contradicted"
      ? `its name is ${lookup.name}, which resolves to other addresses`
      : `its name is ${lookup.name ?? "missing"}, not ${proof.dns.map(toNameText).join(", ")}`;
  return answer(isConclusive(proof, "dns") ? "spoofed" : "unverifiable", reason);
}

function hasNames(proof: Proof): proof is Proof & OperatorNames {
  return proof.dns !== undefined;
}

function toNameText(name: string): string {
  return name.includes("*") ? name : `below ${name}`;
}

function isConclusive(proof: Proof, method: ProofMethod): boolean {
  return proof.conclusive.some((conclusive) => conclusive === method);
}

export function withAgent(verification: Verification, agent: SignatureAgent | undefined): Verification {
  return agent === undefined ? verification : { ...verification, agent };
}

export function unverifiable(reason: string, agent?: SignatureAgent): Answer {
  return { verification: withAgent({ status: "unverifiable", method: "none", reason }, agent) };
}

export function toVerification(
  status: Verification["status"],
  method: Verification["method"],
  reason: string,
  asOf: number,
): Verification {
  return { status, method, reason, asOf: new Date(asOf).toISOString() };
}
