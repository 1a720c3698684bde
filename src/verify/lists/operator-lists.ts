/** The operators' lists of addresses: the copies of the package until newer lists replace them. */

import { isWithin, type Prefix, toPrefix } from "../../address/prefix.ts";
import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import { readRangeCopy } from "../../detect/range-copy.ts";
import type { Proof, RangeCopy } from "../../detect/verification.ts";
import { RangeList } from "./range-list.ts";

/** An older list may contain addresses that others rent by now, so it verifies nothing on its own. */
export const validMs = 30 * 86_400_000;
/** A list that is older may lack addresses that its operator has added: it can verify a claim, but not refute one. */
export const freshMs = 7 * 86_400_000;

/** A list, and the proof that it is part of. */
export interface OperatorList {
  readonly proof: Proof;
  readonly list: RangeList;
}

export interface RangeLists {
  /** The list of a proof, by its id; undefined if there is none yet. */
  find(id: string): RangeList | undefined;
  replace(id: string, prefixes: readonly Prefix[], asOf: number): void;
  /** Makes the table of a list in steps, so that no request has to wait for it. */
  prepare(id: string): Generator<undefined, void>;
}

/** Makes the lists of the copies. Those of `known` take their places unless they are older, because their tables may have been made. */
export function createRangeLists(
  copies: Readonly<Record<string, RangeCopy>>,
  known: readonly (readonly [id: string, RangeList])[] = [],
): RangeLists {
  const lists = new Map(
    Object.entries(copies).map(([id, copy]) => [
      id,
      new RangeList(Date.parse(copy.asOf), copy.size, () => readRangeCopy(copy)),
    ]),
  );
  for (const [id, list] of known) if (list.asOf >= (lists.get(id)?.asOf ?? 0)) lists.set(id, list);
  return {
    find: (id) => lists.get(id),
    *prepare(id) {
      yield* lists.get(id)?.prepare() ?? [];
    },
    replace(id, prefixes, asOf) {
      const list = new RangeList(asOf, prefixes.length, () => prefixes);
      list.previous = lists.get(id);
      // Otherwise, all previous lists would stay in memory.
      if (list.previous !== undefined) list.previous.previous = undefined;
      lists.set(id, list);
    },
  };
}

/** The lists of all proofs that have one. */
export function toOperatorLists(proofs: readonly Proof[], lists: RangeLists): OperatorList[] {
  return proofs.flatMap((proof) => {
    const list = proof.ranges && lists.find(proof.id);
    return list === undefined ? [] : [{ proof, list }];
  });
}

/** Makes the function that names the operator of a proof's crawlers; undefined if the catalogue has none. */
export function createOperatorOf(
  items: readonly Pick<ItemFacts, "name" | "operator">[],
): (proof: Proof) => string | undefined {
  const byName = new Map(items.map(({ name, operator }) => [name, operator]));
  return ({ crawlers, operator }) =>
    crawlers.map((name) => byName.get(name)).find((name) => name !== undefined) ?? operator;
}

/** Whether the list of a proof is missing, or too old to refute a claim; false for a proof without a list. */
export function isOldList({ id, ranges }: Proof, lists: RangeLists, now: number): boolean {
  return ranges !== undefined && (lists.find(id)?.asOf ?? 0) + freshMs < now;
}

/** Warnings name no more lists. */
const maxNamed = 3;

/** Warns of lists that are absent or too old to verify all their addresses, and names the oldest; for a service that downloads none. */
export function toAgeWarnings(
  proofs: readonly Proof[],
  lists: RangeLists,
  operatorOf: (proof: Proof) => string | undefined,
  now: number,
): string[] {
  const old = proofs.filter((proof) => {
    const list = lists.find(proof.id);
    return proof.ranges !== undefined && (list === undefined || !verifiesAll({ proof, list }, now));
  });
  if (old.length === 0) return [];
  const asOf = ({ id }: Proof): number => lists.find(id)?.asOf ?? 0;
  const named = old
    .toSorted((one, other) => asOf(one) - asOf(other))
    .slice(0, maxNamed)
    .map((proof) => {
      const age = asOf(proof) === 0 ? "missing" : `from ${new Date(asOf(proof)).toISOString().slice(0, 10)}`;
      return `${operatorOf(proof) ?? "unknown operator"} (${proof.id}, ${age})`;
    });
  const which = old.length > named.length ? "the oldest are" : "they are";
  return [
    `verify-refresh is off, and ${old.length} address lists are missing or older than 30 days, so their crawlers are unverifiable where ` +
      `DNS does not verify them; ${which} those of ${named.join(", ")}. Copy current lists to the folder ranges of the data folder and restart.`,
  ];
}

/**
 * Until when an address in this prefix of an operator's list of the time `asOf` is verified, in milliseconds: for 30 days, and in the
 * operator's own networks for ever.
 */
export function verifiesUntil({ ownNetworks }: Proof, asOf: number, prefix: Prefix): number {
  const isOwn = ownNetworks?.some((text) => isInside(prefix, toPrefix(text)));
  return isOwn ? Number.POSITIVE_INFINITY : asOf + validMs;
}

function verifiesAll({ proof, list }: OperatorList, now: number): boolean {
  if (list.asOf + validMs >= now) return true;
  if (proof.ownNetworks === undefined) return false;
  return list.prefixes.every((prefix) => verifiesUntil(proof, list.asOf, prefix) >= now);
}

function isInside(prefix: Prefix, other: Prefix | undefined): boolean {
  return other !== undefined && prefix.length >= other.length && isWithin(prefix.address, other);
}
