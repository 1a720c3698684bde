/** What a client's address says about a claim: by the addresses in a custom catalogue, by the operator's list, and by DNS. */

import type { Address } from "../address/address.ts";
import { toPrefix, toPrefixText } from "../address/prefix.ts";
import { PrefixTable } from "../address/prefix-table.ts";
import { isPublic } from "../address/public-address.ts";
import type { Proof, ProofMethod } from "../detect/verification.ts";
import type { Lookups } from "./dns/lookups.ts";
import type { OperatorNames } from "./dns/reverse-dns.ts";
import { type Finding, type Pending, unverifiable, type VerificationInput } from "./finding.ts";
import { freshMs, type RangeLists, verifiesUntil } from "./lists/operator-lists.ts";
import type { RangeList } from "./lists/range-list.ts";

export interface AddressParts {
  readonly lists: RangeLists;
  /** The addresses that a custom catalogue has itself. */
  readonly ownPrefixes: ReadonlyMap<Proof, PrefixTable>;
  readonly lookups: Lookups;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** The tables of the proofs that have prefixes. */
export function toOwnPrefixes(proofs: readonly Proof[]): ReadonlyMap<Proof, PrefixTable> {
  return new Map(
    proofs.flatMap((proof) => {
      const prefixes = proof.prefixes?.flatMap((text) => toPrefix(text) ?? []);
      return prefixes === undefined ? [] : [[proof, new PrefixTable(prefixes)] as const];
    }),
  );
}

export function byOwnPrefixes(
  { proof, address }: VerificationInput,
  { ownPrefixes, now }: AddressParts,
): Finding | undefined {
  const table = proof && ownPrefixes.get(proof);
  if (proof === undefined || table === undefined || address === undefined) return undefined;
  const finding = judgeByList(address, proof, { table, asOf: now(), source: "the custom catalogue" }, now());
  // With lists, the prefixes are complete only together.
  return finding?.status === "verified" || proof.ranges === undefined ? finding : undefined;
}

export function byList({ proof, address }: VerificationInput, { lists, now }: AddressParts): Finding | undefined {
  const list = proof?.ranges && lists.find(proof.id);
  if (proof?.ranges === undefined || list === undefined || address === undefined) return undefined;
  const source = proof.ranges.map(({ url }) => url).join(" and ");
  const { table, asOf, previous } = list;
  return judgeByList(address, proof, { table, asOf, previous, source }, now());
}

interface NamedList extends Pick<RangeList, "table" | "asOf"> {
  readonly previous?: RangeList | undefined;
  /** What the list is called in reasons. */
  readonly source: string;
}

/** If a list is missing or too old. */
export const downloadList = "download the current list (verify-refresh)";
/** If the operator documents no complete method. */
const allowVerified = "if only verified requests may pass, block this crawler and allow verified";

/** Undefined for a private address that is not in the list: an unconfigured proxy is more likely than an imitator. */
function judgeByList(address: Address, proof: Proof, list: NamedList, now: number): Finding | undefined {
  const { table, asOf, previous, source } = list;
  const prefix = table.find(address);
  if (prefix !== undefined) {
    const known = { method: "ip-range", reason: `within ${toPrefixText(prefix)} of ${source}`, asOf } as const;
    if (verifiesUntil(proof, asOf, prefix) >= now) return { ...known, status: "verified" };
    const reason = `${known.reason}, but the local copy, from ${toDate(asOf)}, is more than 30 days old`;
    // The operator may have given up the address, or its DNS name may be gone: neither decides.
    return { ...known, status: "doubtful", reason, advice: downloadList };
  }
  if (!isPublic(address)) return undefined;
  const finding = (status: Finding["status"], more = "", advice?: string): Finding => {
    return { status, method: "ip-range", reason: `not in ${source}${more}`, advice, asOf };
  };
  if (!isConclusive(proof, "ip-range")) return finding("unverifiable", ", which may be incomplete", allowVerified);
  if (asOf + freshMs < now) return finding("unverifiable", ", and the local copy may be out of date", downloadList);
  // The published list may be incomplete.
  if (previous?.table.find(address) !== undefined)
    return finding("unverifiable", " any more", "ask again after the next download, in a day");
  return finding("spoofed");
}

function toDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function byName(
  { proof, address, lookupClient }: VerificationInput,
  { lookups }: AddressParts,
): Finding | Pending | undefined {
  if (proof === undefined || !hasNames(proof) || address === undefined || !isPublic(address)) return undefined;
  const lookup = lookups.find(address, proof, isConclusive(proof, "dns"), lookupClient);
  if (lookup === undefined) return unverifiable("too many lookups at once", "ask again");
  if (lookup instanceof Promise) return { wait: lookup };
  if (lookup.result === "failed")
    return unverifiable(`DNS failed: ${lookup.why}`, "check the resolver of this machine, then ask again");
  const { result, name = "missing", at: asOf } = lookup;
  const known = { method: "dns", reason: `its name is ${name}`, asOf } as const;
  if (result === "confirmed") return { ...known, status: "verified" };
  if (result === "other")
    return {
      ...known,
      status: "unverifiable",
      reason: `${known.reason}: it belongs to the operator, but not to this crawler`,
      advice: allowVerified,
    };
  const why =
    result === "contradicted" ? "which resolves to other addresses" : `not ${proof.dns.map(toNameText).join(", ")}`;
  const status = isConclusive(proof, "dns") ? "spoofed" : "unverifiable";
  return { ...known, status, reason: `${known.reason}, ${why}`, advice: allowVerified };
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
