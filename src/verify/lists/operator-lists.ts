/** The operators' lists of addresses: the copies of the package until newer lists replace them. */

import { type Prefix, toPrefixText } from "../../address/prefix.ts";
import { createLengthTable, type PrefixTable } from "../../address/prefix-table.ts";
import type { Proof, RangeCopy } from "../../detect/verification.ts";
import { parseRanges } from "./parse-ranges.ts";

/** A list that is older may have addresses that others rent by now: it verifies nothing alone. */
export const validMs = 30 * 86_400_000;

/** A list of one operator. */
export interface RangeList {
  /** How many prefixes it has. */
  readonly size: number;
  /** When it was known to be right, in milliseconds. */
  readonly asOf: number;
  /** Made when it is read for the first time: most services are asked about a few crawlers. */
  readonly table: PrefixTable;
  /** Its prefixes as text, in the operator's order; made at every reading. */
  readonly prefixes: readonly string[];
  /** The list before this one: prefixes that were just removed may come back. */
  readonly previous?: RangeList;
}

/** A list, and the proof that it is part of. */
export interface OperatorList {
  readonly proof: Proof;
  readonly list: RangeList;
}

export interface RangeLists {
  /** The list of a proof, by its id; undefined if there is none yet. */
  find(id: string): RangeList | undefined;
  replace(id: string, prefixes: readonly Prefix[], asOf: number): void;
  /** Makes the table of a list, so that no request has to wait for it. */
  prepare(id: string): void;
}

/** Makes the lists of the copies. Those of `known` take their places where they are newer. */
export function createRangeLists(
  copies: Readonly<Record<string, RangeCopy>>,
  known: readonly (readonly [id: string, RangeList])[] = [],
): RangeLists {
  const lists = new Map(
    Object.entries(copies).map(([id, { asOf, prefixes }]) => {
      const size = prefixes.split("\n").length;
      const make = (): PrefixTable => createLengthTable(parseRanges(prefixes, "lines"));
      return [id, createList(size, Date.parse(asOf), undefined, make, () => prefixes.split("\n"))];
    }),
  );
  for (const [id, list] of known) if (list.asOf > (lists.get(id)?.asOf ?? 0)) lists.set(id, list);
  return {
    find: (id) => lists.get(id),
    prepare(id) {
      lists.get(id)?.table;
    },
    replace(id, prefixes, asOf) {
      const before = lists.get(id);
      // Without its own previous list: all lists would stay in memory.
      const previous =
        before &&
        createList(
          before.size,
          before.asOf,
          undefined,
          () => before.table,
          () => before.prefixes,
        );
      const make = (): PrefixTable => createLengthTable(prefixes);
      lists.set(
        id,
        createList(prefixes.length, asOf, previous, make, () => prefixes.map(toPrefixText)),
      );
    },
  };
}

function createList(
  size: number,
  asOf: number,
  previous: RangeList | undefined,
  make: () => PrefixTable,
  toTexts: () => readonly string[],
): RangeList {
  let table: PrefixTable | undefined;
  return {
    size,
    asOf,
    ...(previous && { previous }),
    get prefixes() {
      return toTexts();
    },
    get table() {
      table ??= make();
      return table;
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
