/**
 * What the strings of the commonest browsers begin with, as one pattern: they differ in little but numbers. Of it is kept
 * what provably leaves the automata where a blank alone does, so that reading may begin behind it.
 */

import { endSet, members, nonAscii, range, setOf } from "../pattern/charset.ts";
import { alt, nothing, one, repeat, seq, type Tree } from "../pattern/tree.ts";
import type { Decision } from "./automaton/decide.ts";
import type { Dfa } from "./automaton/dfa.ts";

const number = /([0-9]+(?:[._][0-9]+)*)/;
const numberSet = range(0x30, 0x39) | setOf(0x2e, 0x5f);
const anyNumber = repeat(one(numberSet), 1, Number.POSITIVE_INFINITY);
const blank = 0x20;

/**
 * Matches beginnings of strings like `texts`, whatever their numbers: up to a blank, behind which the unanchored automaton is
 * where it is behind a blank alone and the anchored one rejects whatever follows; or up to the end of a string that no
 * automaton accepts.
 */
export function familiarTo(texts: readonly string[], decision: Decision): Tree {
  const root = createNode(nothing);
  for (const text of texts) if ([...text].every((char) => char.charCodeAt(0) < nonAscii)) add(root, text, decision);
  return toTree(root);
}

/** A place in strings that begin alike. */
interface Node {
  /** What leads here. */
  readonly step: Tree;
  readonly next: Map<string, Node>;
  /** Where a number leads here: how many of the texts have which. */
  readonly numbers: Map<string, number>;
  /** Whether reading may begin here, and whether the string may end here. */
  mayRest: boolean;
  mayEnd: boolean;
}

function createNode(step: Tree): Node {
  return { step, next: new Map(), numbers: new Map(), mayRest: false, mayEnd: false };
}

/** What is matched from a node on: as much as there is. */
function toTree({ next, mayRest, mayEnd }: Node): Tree {
  const ways = [...next.values()].filter(isUseful).map((node) => seq(stepTo(node), toTree(node)));
  if (mayEnd) ways.push(one(endSet));
  const tree = alt(...ways);
  return mayRest ? repeat(tree, 0, 1) : tree;
}

/** A number that most texts share is tried as a literal first: engines compare it several characters at a time. */
function stepTo({ step, numbers }: Node): Tree {
  const count = [...numbers.values()].reduce((sum, times) => sum + times, 0);
  const usual = [...numbers].find(([, times]) => times > 1 && times >= count / 2)?.[0];
  if (usual === undefined) return step;
  return alt(seq(...[...usual].map((char) => one(setOf(char.charCodeAt(0))))), step);
}

function isUseful({ next, mayRest, mayEnd }: Node): boolean {
  return mayRest || mayEnd || [...next.values()].some(isUseful);
}

/** An automaton while it reads what is like a text: all states that it may be in. */
interface Reading {
  readonly dfa: Dfa;
  states: ReadonlySet<number>;
}

/** Adds a string with all places at which all automata, whatever its numbers, are where they need not have read it. */
function add(root: Node, text: string, decision: Decision): void {
  const afterBlank = read(decision.unanchored, new Set([decision.unanchored.initial]), [blank]);
  const rejects = (dfa: Dfa, states: ReadonlySet<number>): boolean =>
    [...states].every((state) => dfa.endOutput[state] === 0);
  const begin = (dfa: Dfa): Reading => ({ dfa, states: new Set([dfa.initial]) });
  const unanchored = begin(decision.unanchored);
  const anchored = decision.anchored.map(begin);
  let node = root;
  for (const part of text.split(number).flatMap((part, i) => (i % 2 === 1 ? part : [...part]))) {
    const isNumber = number.test(part);
    const symbols = isNumber ? members(numberSet) : [part.charCodeAt(0)];
    for (const reading of [unanchored, ...anchored])
      reading.states = read(reading.dfa, reading.states, symbols, isNumber);
    const key = isNumber ? "number" : part;
    const following = node.next.get(key) ?? createNode(isNumber ? anyNumber : one(setOf(...symbols)));
    node.next.set(key, following);
    node = following;
    if (isNumber) node.numbers.set(part, (node.numbers.get(part) ?? 0) + 1);
    node.mayRest =
      part === " " &&
      [...unanchored.states].every((state) => afterBlank.has(state)) &&
      anchored.every(({ dfa, states }) => [...states].every((state) => isDead(dfa, state)));
  }
  node.mayEnd =
    [unanchored, ...anchored].every(({ dfa, states }) => rejects(dfa, states)) && rejects(unanchored.dfa, afterBlank);
}

/** Where one of `symbols` leads from each of `states`; or, repeated, one and more of them. */
function read(dfa: Dfa, states: ReadonlySet<number>, symbols: readonly number[], isRepeated = false): Set<number> {
  const reached = new Set<number>();
  const step = (state: number): void => {
    for (const symbol of symbols) reached.add(dfa.next[state * dfa.classCount + dfa.classOf[symbol]!]!);
  };
  for (const state of states) step(state);
  // Grows while it is walked.
  if (isRepeated) for (const state of reached) step(state);
  return reached;
}

/** Whether nothing that follows is accepted. */
function isDead(dfa: Dfa, state: number): boolean {
  const row = dfa.next.subarray(state * dfa.classCount, (state + 1) * dfa.classCount);
  return dfa.endOutput[state] === 0 && row.every((next) => next === state);
}
