/** Chooses the pairs of a sieve: for every way in which a match can begin, those that are rarest in what should get through. */
import { nonAscii } from "../pattern/charset.ts";
import type { Tree } from "../pattern/tree.ts";
import { type Beginning, beginningsOf } from "./beginnings.ts";
import { type Choice, PairGroup, PairStatistics } from "./pairs.ts";
import { groupCount, pairCount, type Sieve } from "./sieve.ts";

/**
 * How far before the second pair the matches of each group may begin: where one is held back in vain, little is to be read
 * for nothing. The first group takes the choices for which any first pair will do.
 */
const furthestBack = [3, 5, 8, 24];

/**
 * Chooses for all matches of `trees` pairs that are rare in the strings which should get through. The samples count alike,
 * whatever their sizes. A match with a character beyond ASCII may get through: who sifts has to see to that.
 */
export function createSieve(trees: readonly Tree[], samples: readonly (readonly string[])[]): Sieve {
  const usual = new PairStatistics(samples);
  const groups = furthestBack.map((furthest, k) => new PairGroup(usual, furthest, k === 0));
  const needs = trees.flatMap(beginningsOf).flatMap((beginning) => [0, 1].map((phase) => choicesOf(beginning, phase)));
  // The most awkward come first: what the groups hold back for them costs nothing more for those that come after.
  const order = needs.map((choices) => rarest(choices, usual)).sort((a, b) => b.frequency - a.frequency);
  for (const { choices } of order) {
    const options = groups.flatMap((group) => choices.map((choice) => ({ group, choice, cost: group.cost(choice) })));
    const { group, choice } = options.reduce((best, option) => (option.cost < best.cost ? option : best));
    group.add(choice);
  }
  const pairs = new Uint8Array(pairCount);
  const back = new Uint8Array(1 << groupCount);
  groups.forEach((group, k) => {
    for (let pair = 0; pair < pairCount; pair++)
      pairs[pair]! |= (group.first[pair]! << k) | (group.second[pair]! << (k + groupCount));
    for (let held = 0; held < back.length; held++) if ((held >> k) & 1) back[held] = Math.max(back[held]!, group.back);
  });
  return { pairs, back };
}

/** How many choices are weighed in the light of the others. */
const contenders = 8;

function rarest(choices: readonly Choice[], usual: PairStatistics): { choices: Choice[]; frequency: number } {
  const sorted = choices
    .map((choice) => ({ choice, frequency: usual.frequency(choice) }))
    .sort((a, b) => a.frequency - b.frequency);
  return {
    choices: [choices[0]!, ...sorted.slice(0, contenders).map(({ choice }) => choice)],
    frequency: sorted[0]!.frequency,
  };
}

/** More pairs than this are never rare together. */
const mostPairs = 1_200;

/**
 * By which pairs a match can be held back, if pairs are looked at `phase` characters behind its beginning and at every second
 * place from there: two in a row, or one alone (`first` is undefined). Of `crawl` those are, with phase 0, `cr`, `aw` and `l` with
 * whatever follows; with phase 1 `c` with whatever stood before, `ra` and `wl`. Behind the end of the string stand characters 0.
 */
function choicesOf({ sets, atEnd }: Beginning, phase: number): Choice[] {
  const places = sets.length + (atEnd ? 1 : 0);
  const at = (place: number): readonly number[] => {
    if (place >= 0 && place < sets.length) return sets[place]!;
    return atEnd && place >= 0 ? [0] : anything;
  };
  const pairsAt = (place: number, most = mostPairs): number[] | undefined => {
    const [a, b] = [at(place), at(place + 1)];
    return a.length * b.length > most ? undefined : a.flatMap((first) => b.map((second) => (first << 7) | second));
  };
  // There is a choice in any case: a single character may be the second of its pair.
  const choices: Choice[] = [
    { first: undefined, second: pairsAt(phase < places ? phase : -1, pairCount)!, back: phase < places ? phase : 0 },
  ];
  // Of a short match the first character may be all that is rare; where it is the second of its pair, that began before.
  const before = phase === 1 ? pairsAt(-1) : undefined;
  if (before) choices.push({ first: undefined, second: before, back: 0 });
  for (let back = phase; back < places; back += 2) {
    const second = pairsAt(back);
    if (!second) continue;
    choices.push({ first: undefined, second, back });
    const first = back > 0 ? pairsAt(back - 2) : undefined;
    if (first) choices.push({ first, second, back });
  }
  return choices;
}

const anything = Array.from({ length: nonAscii }, (_, code) => code);
