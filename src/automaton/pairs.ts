/** How often pairs of characters follow one another in sample strings, and a group of pairs that a sieve holds back. */
import { pairCount } from "./sieve.ts";

/** Two sets of pairs of which a match has one each, the second `back` characters behind its beginning. */
export interface Choice {
  /** Undefined for any pair. */
  readonly first: readonly number[] | undefined;
  readonly second: readonly number[];
  readonly back: number;
}

/** What adding a pair costs that no sample has: the samples do not have everything. */
const unseen = 1e-5;

interface Neighbour {
  /** -1 before the first pair of a string. */
  readonly pair: number;
  readonly weight: number;
}

const none: readonly Neighbour[] = [];

/** Counts pairs at every second place; each sample weighs 1 in all. */
export class PairStatistics {
  private readonly before = new Map<number, Neighbour[]>();
  private readonly after = new Map<number, Neighbour[]>();
  readonly total = new Float64Array(pairCount);
  private readonly marked = new Uint8Array(pairCount);

  constructor(samples: readonly (readonly string[])[]) {
    const counts = new Map<number, number>();
    for (const strings of samples)
      for (const text of strings) {
        let last = -1;
        // The places are counted from the end; before and behind the string stand characters 0.
        for (let i = -(text.length & 1); i <= text.length; i += 2) {
          const pair = ((text.charCodeAt(i) & 127) << 7) | (text.charCodeAt(i + 1) & 127);
          const key = (last + 1) * pairCount + pair;
          counts.set(key, (counts.get(key) ?? 0) + 1 / strings.length);
          last = pair;
        }
      }
    for (const [key, weight] of counts) {
      const pair = key % pairCount;
      const last = Math.floor(key / pairCount) - 1;
      add(this.before, pair, { pair: last, weight });
      add(this.after, last, { pair, weight });
      this.total[pair]! += weight;
    }
  }

  /** The pairs that stand before `pair`, and how often. */
  pairsBefore(pair: number): readonly Neighbour[] {
    return this.before.get(pair) ?? none;
  }

  /** The pairs that stand behind `pair`, and how often. */
  pairsAfter(pair: number): readonly Neighbour[] {
    return this.after.get(pair) ?? none;
  }

  /** How often a sample has the pairs of `choice`, and a little for each pair it has not. */
  frequency({ first, second }: Choice): number {
    let sum = unseen * (second.length + (first?.length ?? 0));
    for (const pair of first ?? []) this.marked[pair] = 1;
    for (const pair of second)
      if (!first) sum += this.total[pair]!;
      else
        for (const { pair: last, weight } of this.pairsBefore(pair))
          if (last < 0 || this.marked[last] !== 0) sum += weight;
    for (const pair of first ?? []) this.marked[pair] = 0;
    return sum;
  }
}

function add(lists: Map<number, Neighbour[]>, pair: number, neighbour: Neighbour): void {
  const list = lists.get(pair);
  if (list) list.push(neighbour);
  else lists.set(pair, [neighbour]);
}

/** Pairs that are held back where a first one and a second one follow one another. */
export class PairGroup {
  readonly first = new Uint8Array(pairCount);
  readonly second = new Uint8Array(pairCount);
  /** How far before a second pair a match can have begun. */
  back = 0;
  private readonly usual: PairStatistics;
  private readonly furthest: number;
  private readonly anyFirst: boolean;
  private readonly marked = new Uint8Array(pairCount);

  constructor(usual: PairStatistics, furthest: number, anyFirst: boolean) {
    this.usual = usual;
    this.furthest = furthest;
    this.anyFirst = anyFirst;
    if (anyFirst) this.first.fill(1);
  }

  /** What holding `choice` back costs here: how often more of the samples' strings are looked at, and how long. */
  cost(choice: Choice): number {
    if (choice.back > this.furthest || (choice.first === undefined) !== this.anyFirst) return Number.POSITIVE_INFINITY;
    return this.frequencyOfNew(choice) * (4 + this.furthest);
  }

  private frequencyOfNew({ first = [], second }: Choice): number {
    let sum = 0;
    for (const pair of second) this.marked[pair] = 1;
    for (const last of first) {
      if (this.first[last] !== 0) continue;
      sum += unseen;
      for (const { pair, weight } of this.usual.pairsAfter(last))
        if (this.second[pair] !== 0 || this.marked[pair] !== 0) sum += weight;
    }
    for (const pair of second) {
      this.marked[pair] = 0;
      if (this.second[pair] !== 0) continue;
      sum += unseen;
      // Those with a new first pair have been counted above.
      for (const { pair: last, weight } of this.usual.pairsBefore(pair))
        if (last < 0 || this.first[last] !== 0) sum += weight;
    }
    return sum;
  }

  add({ first = [], second, back }: Choice): void {
    for (const pair of first) this.first[pair] = 1;
    for (const pair of second) this.second[pair] = 1;
    this.back = Math.max(this.back, back);
  }
}
