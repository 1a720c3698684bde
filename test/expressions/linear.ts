/**
 * Proves that a backtracking engine that looks for an expression everywhere in a text needs a time proportional to its length.
 * It does if the number of ways to read a text has a bound (Weber and Seidl, "On the degree of ambiguity of finite automata",
 * 1991), where ways that are never given up do not count: behind a state from which a match is certain, none is tried again.
 */
import { overlap } from "../../src/compiler/automaton/linear.ts";
import type { Runs } from "./runs.ts";

/** Why it is not proved that the time is linear; undefined where it is. */
export function refute(runs: Runs): string | undefined {
  const { sets, follow, certain } = runs;
  const before = sets.length - 1;
  const graph = { sets, follow: follow.map((next) => [...next.keys()]) };
  const isDoubtful = (state: number): boolean => !certain.has(state) && state !== before;
  const doubtful = components(runs, isDoubtful);
  const loops = components(runs, () => true);
  const isLoop = (of: ReadonlyMap<number, ReadonlySet<number>>, state: number): boolean =>
    [...(of.get(state) ?? [])].some((next) => follow[next]!.has(state));
  for (const q of doubtful.keys()) {
    if (!isLoop(doubtful, q)) continue;
    const round = doubtful.get(q)!;
    if (branches(runs, q, round)) return `one text goes round state ${q} in two ways`;
    for (const p of loops.keys()) {
      if (p === q || !isLoop(loops, p)) continue;
      const around = p === before ? new Set([before]) : loops.get(p)!;
      if (!overlap(graph, [p, around], [q, round])) continue;
      return p === before ? `a search begins anew within loop ${q}` : `loops ${p} and ${q} read the same text`;
    }
  }
  return undefined;
}

/** The strongly connected components of the states that count, by state. */
function components({ follow }: Runs, counts: (state: number) => boolean): Map<number, Set<number>> {
  const reach = follow.map((_, from) => {
    const found = new Set<number>();
    const queue = counts(from) ? [from] : [];
    for (let state = queue.pop(); state !== undefined; state = queue.pop())
      for (const next of follow[state]!.keys())
        if (counts(next) && !found.has(next)) {
          found.add(next);
          queue.push(next);
        }
    return found;
  });
  const found = new Map<number, Set<number>>();
  reach.forEach((reached, state) => {
    if (reached.has(state)) found.set(state, new Set([...reached].filter((other) => reach[other]!.has(state))));
  });
  return found;
}

/** Whether some text leads from q to q in two ways: then the ways double with each round. */
function branches({ sets, follow }: Runs, q: number, round: ReadonlySet<number>): boolean {
  const seen = new Set<string>();
  const queue: [number, number, boolean][] = [[q, q, false]];
  for (let pair = queue.pop(); pair; pair = queue.pop()) {
    const [a, b, haveParted] = pair;
    for (const [toA, waysA] of follow[a]!)
      for (const [toB, waysB] of follow[b]!) {
        if (!round.has(toA) || !round.has(toB) || (sets[toA]! & sets[toB]!) === 0n) continue;
        const parted = haveParted || toA !== toB || (a === b && Math.max(waysA, waysB) > 1);
        if (parted && toA === q && toB === q) return true;
        const key = `${toA} ${toB} ${parted}`;
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push([toA, toB, parted]);
      }
  }
  return false;
}
