/**
 * Builds one pattern from the beginnings of common browsers' strings, which differ mostly in numbers. The pattern contains only
 * beginnings after which the automata are provably in the same state as after `beforeReading`, so reading can start after them.
 */

import { beforeReading } from "../detect/automaton/matcher.ts";
import { endSet, members, nonAscii, range, setOf } from "../pattern/charset.ts";
import { alt, nothing, one, repeat, seq, type Tree } from "../pattern/tree.ts";
import type { Decision } from "./automaton/decide.ts";
import { type Dfa, isSettled } from "./automaton/dfa.ts";

const number = /([0-9]+(?:[._][0-9]+)*)/;
const numberSet = range(0x30, 0x39) | setOf(0x2e, 0x5f);
const anyNumber = repeat(one(numberSet), 1, Number.POSITIVE_INFINITY);

/**
 * Matches beginnings of strings like `texts`, with any numbers. A beginning ends with a space, after which the unanchored
 * automaton is in the same state as after `beforeReading`, and the anchored automata reject all that can follow. Or it is a
 * whole string that no automaton accepts.
 */
export function familiarTo(texts: readonly string[], decision: Decision): Tree {
  const root = createNode(nothing);
  for (const text of texts) if ([...text].every((char) => char.charCodeAt(0) < nonAscii)) add(root, text, decision);
  return toTree(root);
}

/** A place in strings that begin alike. */
interface Node {
  /** The text that leads to this node. */
  readonly step: Tree;
  readonly next: Map<string, Node>;
  /** If a number leads to this node: how many texts contain each number. */
  readonly numbers: Map<string, number>;
  /** Whether the automata may start here, and whether the string may end here. */
  mayRest: boolean;
  mayEnd: boolean;
}

function createNode(step: Tree): Node {
  return { step, next: new Map(), numbers: new Map(), mayRest: false, mayEnd: false };
}

/** The pattern from a node on; it matches as much as possible. */
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

/** An automaton that reads texts with any numbers: all states that it can be in. */
interface Reading {
  readonly dfa: Dfa;
  states: ReadonlySet<number>;
}

/** Adds a string, and marks the places up to which the automata can skip it, whatever its numbers. */
function add(root: Node, text: string, decision: Decision): void {
  const rest = afterText(decision.unanchored);
  const rejects = (dfa: Dfa, states: ReadonlySet<number>): boolean =>
    [...states].every((state) => dfa.accepts[state] === 0);
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
      [...unanchored.states].every((state) => rest.has(state)) &&
      anchored.every(({ dfa, states }) => [...states].every((state) => isDead(dfa, state)));
  }
  node.mayEnd =
    [unanchored, ...anchored].every(({ dfa, states }) => rejects(dfa, states)) && rejects(unanchored.dfa, rest);
}

/** The state after `beforeReading`. */
function afterText(dfa: Dfa): Set<number> {
  return [...beforeReading].reduce((states, char) => read(dfa, states, [char.charCodeAt(0)]), new Set([dfa.initial]));
}

/** The states after one of `symbols`; with `repeated`, after one or more. */
function read(dfa: Dfa, states: ReadonlySet<number>, symbols: readonly number[], isRepeated = false): Set<number> {
  const reached = new Set<number>();
  const step = (state: number): void => {
    for (const symbol of symbols) reached.add(dfa.next[state * dfa.classCount + dfa.classOf[symbol]!]!);
  };
  for (const state of states) step(state);
  // The loop appends to the list that it iterates.
  if (isRepeated) for (const state of reached) step(state);
  return reached;
}

/** Whether the automaton rejects all that can follow. */
function isDead(dfa: Dfa, state: number): boolean {
  return dfa.accepts[state] === 0 && isSettled(dfa, state);
}
