/**
 * A table that finds the longest prefix containing an address. The prefixes are sorted, and each refers to the next wider one
 * that contains it. Every prefix that contains an address is, or also contains, the last prefix that begins at or before the address: a
 * binary search finds that prefix, and the search continues outwards from there (docs/decisions/0014-prefix-table.md).
 */
import type { Address } from "./address.ts";
import { sortInSteps, stepItems } from "./lists-in-steps.ts";
import { comparePrefixes, isWithin, type Prefix } from "./prefix.ts";

/** Finds prefixes around addresses. */
export class PrefixTable<Item extends Prefix = Prefix> {
  #items: readonly Item[] = [];
  /** Where each begins, rounded to a number, because comparing numbers is ten times faster than comparing bigints. */
  #starts = new Float64Array(0);
  /** For each prefix, the index of the next wider one that contains it, or -1. */
  #parents = new Int32Array(0);

  /** The prefixes may be in any order, nested and repeated; of equal ones, the last counts as the innermost. */
  constructor(items: readonly Item[]) {
    for (const _ of this.#fill(items));
  }

  /** The same in steps. */
  static *inSteps<Item extends Prefix>(items: readonly Item[]): Generator<undefined, PrefixTable<Item>> {
    const table = new PrefixTable<Item>([]);
    yield* table.#fill(items);
    return table;
  }

  *#fill(items: readonly Item[]): Generator<undefined, void> {
    this.#items = yield* sortInSteps(items, comparePrefixes);
    this.#starts = new Float64Array(items.length);
    this.#parents = new Int32Array(items.length);
    for (let at = 0, parent = -1; at < items.length; parent = at++) {
      const { address } = this.#items[at]!;
      this.#starts[at] = Number(address);
      parent = this.#outwards(parent, address);
      this.#parents[at] = parent;
      if (at % stepItems === 0) yield;
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
