/**
 * A table of prefixes: which is the longest prefix around an address? The prefixes are sorted, and each knows the next wider one
 * around it. Every prefix around an address is around the last prefix that begins at or before it, too, or is that one: a binary
 * search finds this prefix, and the way from there leads outwards (docs/decisions/0014-prefix-table.md).
 */
import type { Address } from "./address.ts";
import { comparePrefixes, isWithin, type Prefix } from "./prefix.ts";

/** Finds prefixes around addresses. */
export class PrefixTable<Item extends Prefix = Prefix> {
  readonly #items: readonly Item[];
  /** Where each begins, rounded: numbers are compared ten times as fast. */
  readonly #starts: Float64Array;
  /** The index of the next wider prefix around each, or -1. */
  readonly #parents: Int32Array;

  /** The prefixes may be in any order, within each other, and repeated: the last of equal ones counts as the innermost. */
  constructor(items: readonly Item[]) {
    this.#items = items.toSorted(comparePrefixes);
    this.#starts = Float64Array.from(this.#items, ({ address }) => Number(address));
    this.#parents = new Int32Array(items.length);
    for (let at = 0, parent = -1; at < items.length; parent = at++) {
      parent = this.#outwards(parent, this.#items[at]!.address);
      this.#parents[at] = parent;
    }
  }

  /** The longest prefix around an address; undefined if it is in none. */
  find(address: Address): Item | undefined {
    return this.#items[this.#innermost(address)];
  }

  /** All prefixes around an address, the longest first. */
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

  /** The first prefix around an address on the way outwards from `at`; -1 if there is none. */
  #outwards(at: number, address: Address): number {
    let prefix = at;
    while (prefix !== -1 && !isWithin(address, this.#items[prefix]!)) prefix = this.#parents[prefix]!;
    return prefix;
  }
}
