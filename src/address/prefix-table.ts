/**
 * A table that finds the longest prefix containing an address. The prefixes are sorted, and each refers to the next wider one
 * that contains it. Every prefix that contains an address is, or also contains, the last prefix that begins at or before the address: a
 * binary search finds that prefix, and the search continues outwards from there (docs/decisions/0014-prefix-table.md).
 */
import type { Address } from "./address.ts";
import { comparePrefixes, isWithin, type Prefix } from "./prefix.ts";

/** Finds prefixes around addresses. */
export class PrefixTable<Item extends Prefix = Prefix> {
  readonly #items: readonly Item[];
  /** Where each begins, rounded to a number, because comparing numbers is ten times faster than comparing bigints. */
  readonly #starts: Float64Array;
  /** For each prefix, the index of the next wider one that contains it, or -1. */
  readonly #parents: Int32Array;

  /** The prefixes may be in any order, nested and repeated; of equal ones, the last counts as the innermost. */
  constructor(items: readonly Item[]) {
    this.#items = items.toSorted(comparePrefixes);
    this.#starts = Float64Array.from(this.#items, ({ address }) => Number(address));
    this.#parents = new Int32Array(items.length);
    for (let at = 0, parent = -1; at < items.length; parent = at++) {
      parent = this.#outwards(parent, this.#items[at]!.address);
      this.#parents[at] = parent;
    }
  }

  /** The longest prefix that contains an address; undefined if there is none. */
  find(address: Address): Item | undefined {
    return this.#items[this.#innermost(address)];
  }

  /** All prefixes that contain an address, longest first. */
  findAll(address: Address): Item[] {
    const found: Item[] = [];
    for (let at = this.#innermost(address); at !== -1; at = this.#parents[at]!) found.push(this.#items[at]!);
    return found;
  }

  #innermost(address: Address): number {
    const rounded = Number(address);
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = this.#starts[middle]!;
      const isAtMost = start === rounded ? this.#items[middle]!.address <= address : start < rounded;
      if (isAtMost) low = middle + 1;
      else high = middle;
    }
    return this.#outwards(low - 1, address);
  }

  /** The first prefix that contains an address, going outwards from `at`; -1 if there is none. */
  #outwards(at: number, address: Address): number {
    let prefix = at;
    while (prefix !== -1 && !isWithin(address, this.#items[prefix]!)) prefix = this.#parents[prefix]!;
    return prefix;
  }
}
