/**
 * The position automaton (Glushkov) of a tree: one state for every set in it, no empty moves.
 * Patterns are unanchored; `^` is the start symbol, read before the first character, `$` the end symbol.
 */
import { type CharSet, has, symbolCount, toMapKey } from "./charset.ts";
import type { Tree } from "./tree.ts";

export interface Nfa {
  /** Per position: the symbols it reads. */
  readonly sets: readonly CharSet[];
  /** Per position: the positions that may come next. */
  readonly follow: readonly (readonly number[])[];
  /** The positions a match may begin with. */
  readonly first: readonly number[];
  /** Per position: whether the tree is matched when it has been read. */
  readonly accepts: readonly boolean[];
}

interface Part {
  readonly first: number[];
  readonly last: number[];
  readonly nullable: boolean;
}

/** Builds the automaton of `tree`. Throws RangeError for one that matches the empty string, because it would match everywhere. */
export function toNfa(tree: Tree): Nfa {
  const builder = new Builder();
  const { first, last, nullable } = builder.build(tree);
  if (nullable) throw new RangeError("the pattern matches the empty string");
  const { sets, follow } = builder;
  const accepting = new Set(last);
  return { sets, follow, first, accepts: sets.map((_, position) => accepting.has(position)) };
}

class Builder {
  readonly sets: CharSet[] = [];
  readonly follow: number[][] = [];

  build(tree: Tree): Part {
    switch (tree.type) {
      case "set": {
        const position = this.sets.push(tree.set) - 1;
        this.follow.push([]);
        return { first: [position], last: [position], nullable: false };
      }
      case "seq":
        return this.#join(tree.items.map((item) => this.build(item)));
      case "alt": {
        const parts = tree.items.map((item) => this.build(item));
        return {
          first: parts.flatMap((part) => part.first),
          last: parts.flatMap((part) => part.last),
          nullable: parts.some((part) => part.nullable),
        };
      }
      case "repeat":
        return this.#repeat(tree.item, tree.min, tree.max);
    }
  }

  /** Each copy is followed by all later optional ones: this makes sets of positions equal, so the subset construction has fewer of them. */
  #repeat(item: Tree, min: number, max: number): Part {
    const isBounded = max !== Number.POSITIVE_INFINITY;
    const times = isBounded ? max : Math.max(1, min);
    const copies = Array.from({ length: times }, (_, i): Part => {
      const copy = this.build(item);
      return i < min ? copy : { ...copy, nullable: true };
    });
    if (!isBounded) this.#connect(copies.at(-1)!.last, copies.at(-1)!.first);
    return this.#join(copies);
  }

  #join(parts: readonly Part[]): Part {
    let joined: Part = { first: [], last: [], nullable: true };
    for (const part of parts) {
      this.#connect(joined.last, part.first);
      joined = {
        first: joined.nullable ? [...joined.first, ...part.first] : joined.first,
        last: part.nullable ? [...joined.last, ...part.last] : part.last,
        nullable: joined.nullable && part.nullable,
      };
    }
    return joined;
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const position of from) {
      const next = this.follow[position]!;
      // Nearly all positions are connected only once: a copy takes less memory than a growable array.
      if (next.length === 0) this.follow[position] = [...to];
      else for (const target of to) if (!next.includes(target)) next.push(target);
    }
  }
}

/** Groups symbols that no set distinguishes: a class number per symbol, and the number of classes. */
export function symbolClasses(sets: Iterable<CharSet>): { classOf: Uint8Array; count: number } {
  const distinct = [...new Map(Array.from(sets, (set) => [toMapKey(set), set])).values()];
  const classes = new Map<string, number>();
  const classOf = Uint8Array.from({ length: symbolCount }, (_, symbol) => {
    const key = distinct.map((set) => (has(set, symbol) ? 1 : 0)).join("");
    const known = classes.get(key) ?? classes.size;
    classes.set(key, known);
    return known;
  });
  return { classOf, count: classes.size };
}
