/** A hash table for things that the caller numbers and compares. For dfa.ts. */

/**
 * Open addressing over typed arrays. A Map would need a text for each list of numbers; making these texts took most of the time
 * of the subset construction.
 */
export class HashTable {
  /** 1 + a number, or 0. */
  #slots = new Int32Array(64);
  /** By slot: the hash of the number in it. */
  #hashes = new Int32Array(64);
  #count = 0;

  /** The number that was added with `hash` and that `isSame` accepts; -1 if there is none. */
  find(hash: number, isSame: (number: number) => boolean): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask)
      if (this.#hashes[slot] === hash && isSame(this.#slots[slot]! - 1)) return this.#slots[slot]! - 1;
    return -1;
  }

  /** Adds a number. `hash` is a 32-bit integer. */
  add(hash: number, number: number): void {
    this.#put(hash, number + 1);
    if (++this.#count * 2 < this.#slots.length) return;
    const [slots, hashes] = [this.#slots, this.#hashes];
    this.#slots = new Int32Array(slots.length * 2);
    this.#hashes = new Int32Array(slots.length * 2);
    for (let slot = 0; slot < slots.length; slot++) if (slots[slot] !== 0) this.#put(hashes[slot]!, slots[slot]!);
  }

  #put(hash: number, value: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = value;
    this.#hashes[slot] = hash;
  }
}

/** The hash of a sequence: of what came before, and one more number. */
export function mix(hash: number, number: number): number {
  const product = Math.imul(hash ^ number, 0x9e3779b1);
  return product ^ (product >>> 15);
}
