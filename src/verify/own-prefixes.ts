/** Verifies by the addresses that an own catalogue names itself, without a list that anyone publishes. */

import type { Address } from "../address/address.ts";
import { maskAddress, toPrefix, toPrefixText } from "../address/prefix.ts";
import { createLengthTable, type PrefixTable } from "../address/prefix-table.ts";
import type { Proof, Verification } from "../detect/verification.ts";

const tables = new WeakMap<Proof, PrefixTable>();

/** What the prefixes of a proof say about an address; undefined if it has none. */
export function judgeByPrefixes(address: Address, proof: Proof, now: number): Verification | undefined {
  if (proof.prefixes === undefined) return undefined;
  let table = tables.get(proof);
  if (table === undefined) {
    table = createLengthTable(proof.prefixes.flatMap((text) => toPrefix(text) ?? []));
    tables.set(proof, table);
  }
  const known = { method: "ip-range", asOf: new Date(now).toISOString() } as const;
  const length = table.find(address);
  if (length !== undefined) {
    const prefix = toPrefixText({ address: maskAddress(address, length), length });
    return { ...known, status: "verified", reason: `within ${prefix} of the own catalogue` };
  }
  const reason = "not in the prefixes of the own catalogue";
  // With lists, they are complete only together.
  if (proof.conclusive.includes("ip-range") && proof.ranges === undefined)
    return { ...known, status: "spoofed", reason };
  return { ...known, status: "unverifiable", reason: `${reason}, which need not be complete` };
}
