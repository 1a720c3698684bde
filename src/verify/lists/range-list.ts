/** A list of addresses as its publisher has it: of an operator's crawlers, or of a network. */
import { mapInSteps } from "../../address/lists-in-steps.ts";
import type { Prefix } from "../../address/prefix.ts";
import { PrefixTable } from "../../address/prefix-table.ts";

/** A list; its prefixes and its table are made when they are read for the first time. */
export class RangeList<Item extends Prefix = Prefix> {
  /** When it was known to be right, in milliseconds. */
  readonly asOf: number;
  /** How many prefixes it has. */
  readonly size: number;
  /** The list before this one: prefixes that were just removed may come back. */
  previous: RangeList<Item> | undefined;
  readonly #read: () => Iterable<Item>;
  #prefixes: readonly Item[] | undefined;
  #table: PrefixTable<Item> | undefined;

  constructor(asOf: number, size: number, read: () => Iterable<Item>) {
    this.asOf = asOf;
    this.size = size;
    this.#read = read;
  }

  /** In the publisher's order. */
  get prefixes(): readonly Item[] {
    this.#prefixes ??= [...this.#read()];
    return this.#prefixes;
  }

  /** Reads the prefixes in steps. */
  *readInSteps(): Generator<undefined, readonly Item[]> {
    this.#prefixes ??= yield* mapInSteps(this.#read(), (item) => item);
    return this.#prefixes;
  }

  get table(): PrefixTable<Item> {
    this.#table ??= new PrefixTable(this.prefixes);
    return this.#table;
  }

  /** Makes the table in steps, so that no request has to wait for it. */
  *prepare(): Generator<undefined, void> {
    this.#table ??= yield* PrefixTable.inSteps(yield* this.readInSteps());
  }
}
