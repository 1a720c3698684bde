/**
 * Proves that backtracking engines take linear time for a pattern. Such an engine tries the runs of the position automaton
 * one after another. For each position of the string, the number of runs is bounded unless two loops can read the same text
 * and the second loop is reachable from the first.
 */
import { anyChar, type CharSet, empty, startSet } from "../../src/pattern/charset.ts";
import { type Nfa, toNfa } from "../../src/pattern/nfa.ts";
import type { Tree } from "../../src/pattern/tree.ts";

/**
 * Whether an engine that looks for `tree` at every place of a string, and backtracks, needs a time proportional to the
 * string's length. Weber and Seidl, "On the degree of ambiguity of finite automata" (1991): the runs are not bounded if and
 * only if there are two states p and q and a text that leads from p to p, from p to q, and from q to q.
 */
export function isLinear(tree: Tree): boolean {
  if (repeatsRepeats(tree)) return false;
  const graph = searching(toNfa(tree));
  const loops = cycles(graph);
  const inLoops = [...loops.keys()];
  return inLoops.every((q) => inLoops.every((p) => p === q || !overlap(graph, [p, loops.get(p)!], [q, loops.get(q)!])));
}

/** Whether an unbounded repeat has an item that can be empty, or that ends with a repeat: the automaton does not show these runs. */
function repeatsRepeats(tree: Tree): boolean {
  switch (tree.type) {
    case "set":
      return false;
    case "seq":
    case "alt":
      return tree.items.some(repeatsRepeats);
    case "repeat": {
      if (repeatsRepeats(tree.item)) return true;
      if (tree.max !== Number.POSITIVE_INFINITY) return false;
      // Two rounds in a row have an edge between them; where one round alone has the same edge, it can be read in two ways.
      const once = toEdges(tree.item);
      return once === undefined || once.between.some((edge) => once.within.has(edge));
    }
  }
}

function toEdges(item: Tree): { between: string[]; within: Set<string> } | undefined {
  let nfa: Nfa;
  try {
    nfa = toNfa(item);
  } catch {
    return undefined; // It matches the empty string.
  }
  const last = nfa.accepts.flatMap((accepts, position) => (accepts ? [position] : []));
  return {
    between: last.flatMap((from) => nfa.first.map((to) => `${from} ${to}`)),
    within: new Set(nfa.follow.flatMap((targets, from) => targets.map((to) => `${from} ${to}`))),
  };
}

/** States with the characters that they read, and their next states. */
interface Graph {
  readonly sets: readonly CharSet[];
  readonly follow: readonly (readonly number[])[];
}

/** The position automaton with a state for the text before a match, which every character leads back to. */
function searching(nfa: Nfa): Graph {
  const before = nfa.sets.length;
  const sets = [...nfa.sets.map((set) => set & anyChar), anyChar];
  return { sets, follow: [...nfa.follow, [before, ...nfa.first.filter((p) => nfa.sets[p] !== startSet)]] };
}

/** The states that lie on a cycle, each with the states of its cycles. */
function cycles({ sets, follow }: Graph): Map<number, Set<number>> {
  const reached = new Map<number, Set<number>>();
  const heads = new Set<number>();
  // Positions are numbered in the order of the pattern, so that a cycle has an edge that does not ascend.
  follow.forEach((targets, from) => {
    for (const to of targets) if (to <= from && sets[to] !== empty) heads.add(to);
  });
  heads.delete(sets.length - 1);
  const reach = (from: number): Set<number> => {
    const found = new Set<number>();
    const queue = [from];
    for (let state = queue.pop(); state !== undefined; state = queue.pop())
      for (const to of follow[state]!)
        if (sets[to] !== empty && !found.has(to)) {
          found.add(to);
          queue.push(to);
        }
    return found;
  };
  const known = new Map<number, Set<number>>();
  const from = (state: number): Set<number> => {
    const set = known.get(state) ?? reach(state);
    known.set(state, set);
    return set;
  };
  for (const head of heads) {
    if (!from(head).has(head)) continue;
    for (const state of from(head)) {
      if (!from(state).has(head)) continue;
      reached.set(state, new Set([...from(head)].filter((other) => from(other).has(head))));
    }
  }
  const before = sets.length - 1;
  reached.set(before, new Set([before]));
  return reached;
}

/** A state, and the states of its cycles. */
type Loop = readonly [state: number, cycles: ReadonlySet<number>];

/** Whether some text leads from p to p, from p to q and from q to q. Reads all three in parallel. */
function overlap({ sets, follow }: Graph, [p, aroundP]: Loop, [q, aroundQ]: Loop): boolean {
  const size = sets.length;
  const seen = new Set<number>();
  const queue: [number, number, number][] = [[p, p, q]];
  for (let triple = queue.pop(); triple; triple = queue.pop()) {
    const [a, b, c] = triple;
    for (const toC of follow[c]!) {
      if (!aroundQ.has(toC)) continue;
      for (const toA of follow[a]!) {
        const common = sets[toC]! & sets[toA]!;
        if (common === empty || !aroundP.has(toA)) continue;
        for (const toB of follow[b]!) {
          if ((sets[toB]! & common) === empty) continue;
          if (toA === p && toB === q && toC === q) return true;
          const key = (toA * size + toB) * size + toC;
          if (seen.has(key)) continue;
          seen.add(key);
          queue.push([toA, toB, toC]);
        }
      }
    }
  }
  return false;
}
