/** The lists of addresses that are known: those that ship with the package until newer ones replace them. */
import type { Prefix } from "./prefix.ts";
import { createPrefixTable, type PrefixTable } from "./prefix-table.ts";
import { parseRanges } from "./range-formats.ts";

/** A list of one operator. */
export interface RangeList {
  readonly table: PrefixTable;
  /** When the operator published it, as far as is known, in milliseconds. */
  readonly asOf: number;
}

/** An offline copy, as the build stores it. */
export interface RangeCopy {
  /** `2026-05-05`. */
  readonly asOf: string;
  /** One a line. */
  readonly prefixes: string;
}

export interface RangeLists {
  /** The list of a proof, by its id; undefined where there is none yet. */
  find(id: string): RangeList | undefined;
  replace(id: string, prefixes: readonly Prefix[], asOf: number): void;
}

/** Makes the lists of the copies, each at its first use. */
export function createRangeLists(copies: Readonly<Record<string, RangeCopy>>): RangeLists {
  const lists = new Map<string, RangeList>();
  return {
    find(id) {
      const list = lists.get(id);
      const copy = copies[id];
      if (list !== undefined || copy === undefined) return list;
      const made = { table: createPrefixTable(parseRanges(copy.prefixes, "lines")), asOf: Date.parse(copy.asOf) };
      lists.set(id, made);
      return made;
    },
    replace(id, prefixes, asOf) {
      lists.set(id, { table: createPrefixTable(prefixes), asOf });
    },
  };
}
