/**
 * The position automaton (Glushkov) of a list of trees: one state for every set in them, no empty moves.
 * Patterns are unanchored; `^` is the start symbol, read before the first character, `$` the end symbol.
 */
import { type CharSet, has, symbolCount } from "../pattern/charset.ts";
import type { Tree } from "../pattern/tree.ts";

export interface Nfa {
  /** Per position: the symbols it reads. */
  readonly sets: readonly CharSet[];
  /** Per position: the positions that may come next. */
  readonly follow: readonly (readonly number[])[];
  /** The positions a match may begin with. */
  readonly first: readonly number[];
  /** Per position: 1 + the index of the tree that is matched when it has been read, or 0. */
  readonly accepts: readonly number[];
}

interface Part {
  readonly first: number[];
  readonly last: number[];
  readonly nullable: boolean;
}

/** Builds the automaton of `trees`; a tree that matches the empty string is an error, for it would match everywhere. */
export function toNfa(trees: readonly Tree[]): Nfa {
  const sets: CharSet[] = [];
  const follow: number[][] = [];
  const accepts: number[] = [];
  const first: number[] = [];

  const connect = (from: readonly number[], to: readonly number[]): void => {
    for (const position of from) {
      const next = follow[position]!;
      for (const target of to) if (!next.includes(target)) next.push(target);
    }
  };

  const join = (parts: readonly Part[]): Part => {
    let joined: Part = { first: [], last: [], nullable: true };
    for (const part of parts) {
      connect(joined.last, part.first);
      joined = {
        first: joined.nullable ? [...joined.first, ...part.first] : joined.first,
        last: part.nullable ? [...joined.last, ...part.last] : part.last,
        nullable: joined.nullable && part.nullable,
      };
    }
    return joined;
  };

  const build = (tree: Tree): Part => {
    switch (tree.type) {
      case "set": {
        const position = sets.push(tree.set) - 1;
        follow.push([]);
        accepts.push(0);
        return { first: [position], last: [position], nullable: false };
      }
      case "seq":
        return join(tree.items.map(build));
      case "alt": {
        const parts = tree.items.map(build);
        return {
          first: parts.flatMap((part) => part.first),
          last: parts.flatMap((part) => part.last),
          nullable: parts.some((part) => part.nullable),
        };
      }
      case "repeat": {
        const copies: Part[] = [];
        const bounded = tree.max !== Number.POSITIVE_INFINITY;
        const times = bounded ? tree.max : Math.max(1, tree.min);
        for (let i = 0; i < times; i++) {
          const copy = build(tree.item);
          copies.push(i < tree.min ? copy : { ...copy, nullable: true });
        }
        if (!bounded) {
          const loop = copies[times - 1]!;
          connect(loop.last, loop.first);
        }
        return join(copies);
      }
    }
  };

  trees.forEach((tree, index) => {
    const part = build(tree);
    if (part.nullable) throw new RangeError(`pattern ${index} matches the empty string`);
    first.push(...part.first);
    for (const position of part.last) accepts[position] = index + 1;
  });
  return { sets, follow, first, accepts };
}

/** Groups symbols that no set tells apart: a class number per symbol, and how many classes there are. */
export function symbolClasses(sets: Iterable<CharSet>): { classOf: Uint8Array; count: number } {
  const classOf = new Uint8Array(symbolCount);
  let count = 1;
  for (const set of new Set(sets)) {
    const moved = new Map<number, number>();
    const kept = new Set<number>();
    for (let symbol = 0; symbol < symbolCount; symbol++) if (!has(set, symbol)) kept.add(classOf[symbol]!);
    for (let symbol = 0; symbol < symbolCount; symbol++) {
      const old = classOf[symbol]!;
      if (!has(set, symbol) || !kept.has(old)) continue;
      let fresh = moved.get(old);
      if (fresh === undefined) {
        fresh = count++;
        moved.set(old, fresh);
      }
      classOf[symbol] = fresh;
    }
  }
  return { classOf, count };
}
