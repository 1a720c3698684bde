/** From an automaton back to a tree, by eliminating one state after another (Brzozowski and McCluskey). */
import { type CharSet, empty, endSet, has, nonAscii, setOf, startSet } from "../pattern/charset.ts";
import { alt, never, nothing, one, repeat, seq, type Tree } from "../pattern/tree.ts";
import type { Dfa } from "./dfa.ts";

/** A tree for the strings, from the start to the end, after which `accepts` says yes of the state reached. */
export function toTree(dfa: Dfa, accepts: (state: number) => boolean): Tree {
  const final = -1;
  // Edges of a graph whose labels are trees: `edges.get(from).get(to)`.
  const edges = new Map<number, Map<number, Tree>>();
  const live = liveStates(dfa, accepts);
  if (!live.has(dfa.initial)) return never;
  for (const state of live) {
    const row = new Map<number, Tree>();
    for (const [target, set] of moves(dfa, state)) if (live.has(target)) row.set(target, one(set));
    if (accepts(state)) row.set(final, one(endSet));
    edges.set(state, row);
  }
  const first = -2;
  edges.set(first, new Map([[dfa.initial, one(startSet)]]));
  const left = new Set(live);
  while (left.size > 0) {
    let cheapest = -1;
    let lowest = Number.POSITIVE_INFINITY;
    for (const state of left) {
      const cost = costOf(edges, state);
      if (cost < lowest) [cheapest, lowest] = [state, cost];
    }
    eliminate(edges, cheapest);
    left.delete(cheapest);
  }
  return edges.get(first)!.get(final) ?? never;
}

function moves(dfa: Dfa, state: number): Map<number, CharSet> {
  const sets = new Map<number, CharSet>();
  for (let symbol = 0; symbol <= nonAscii; symbol++) {
    const target = dfa.next[state * dfa.classCount + dfa.classOf[symbol]!]!;
    sets.set(target, (sets.get(target) ?? empty) | setOf(symbol));
  }
  return sets;
}

function liveStates(dfa: Dfa, accepts: (state: number) => boolean): Set<number> {
  const reached = new Set([dfa.initial]);
  for (const state of reached) for (const target of moves(dfa, state).keys()) reached.add(target);
  const live = new Set([...reached].filter(accepts));
  for (let before = -1; before !== live.size; ) {
    before = live.size;
    for (const state of reached) if ([...moves(dfa, state).keys()].some((target) => live.has(target))) live.add(state);
  }
  return live;
}

/** How much longer the labels get when `state` goes (Delgado and Morais). */
function costOf(edges: ReadonlyMap<number, ReadonlyMap<number, Tree>>, state: number): number {
  const out = [...edges.get(state)!].filter(([to]) => to !== state).map(([, tree]) => sizeOf(tree));
  const into = [...edges]
    .filter(([from, row]) => from !== state && row.has(state))
    .map(([, row]) => sizeOf(row.get(state)!));
  const loop = edges.get(state)!.get(state);
  const sum = (sizes: readonly number[]): number => sizes.reduce((a, b) => a + b, 0);
  return (
    sum(into) * (out.length - 1) +
    sum(out) * (into.length - 1) +
    (loop ? sizeOf(loop) * (into.length * out.length - 1) : 0)
  );
}

function eliminate(edges: Map<number, Map<number, Tree>>, state: number): void {
  const row = edges.get(state)!;
  const loop = row.get(state);
  const around = loop ? repeat(loop, 0, Number.POSITIVE_INFINITY) : nothing;
  edges.delete(state);
  for (const [, other] of edges) {
    const into = other.get(state);
    if (!into) continue;
    other.delete(state);
    for (const [to, out] of row) {
      if (to === state) continue;
      const path = seq(into, around, out);
      const known = other.get(to);
      other.set(to, known ? alt(known, path) : path);
    }
  }
}

const sizes = new WeakMap<Tree, number>();

/** About as many characters as the tree takes to print. */
function sizeOf(tree: Tree): number {
  let size = sizes.get(tree);
  if (size === undefined) {
    if (tree.type === "set") size = has(tree.set, nonAscii) ? 6 : 4;
    else if (tree.type === "repeat") size = 1 + sizeOf(tree.item);
    else size = 1 + tree.items.reduce((sum, item) => sum + sizeOf(item), 0);
    sizes.set(tree, size);
  }
  return size;
}
