/**
 * What the strings of the commonest browsers begin with, as one pattern: they differ in little but numbers. Of it is kept
 * what provably leaves the automata where a blank alone does, so that reading may begin behind it.
 */

import { endSet, members, nonAscii, range, setOf } from "../pattern/charset.ts";
import { alt, nothing, one, repeat, seq, type Tree } from "../pattern/tree.ts";
import type { Decision } from "./automaton/deciding-pair.ts";
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
  /** Whether reading may begin here, and whether the string may end here. */
  mayRest: boolean;
  mayEnd: boolean;
}

function createNode(step: Tree): Node {
  return { step, next: new Map(), mayRest: false, mayEnd: false };
}

/** What is matched from a node on: as much as there is. */
function toTree({ next, mayRest, mayEnd }: Node): Tree {
  const ways = [...next.values()].filter(isUseful).map((node) => seq(node.step, toTree(node)));
  if (mayEnd) ways.push(one(endSet));
  const tree = alt(...ways);
  return mayRest ? repeat(tree, 0, 1) : tree;
}

function isUseful({ next, mayRest, mayEnd }: Node): boolean {
  return mayRest || mayEnd || [...next.values()].some(isUseful);
}

/** Both automata while they read what is like a text: all states that they may be in. */
interface Reading {
  readonly unanchored: ReadonlySet<number>;
  readonly anchored: ReadonlySet<number>;
}

/** Adds a string with all places at which both automata, whatever its numbers, are where they need not have read it. */
function add(root: Node, text: string, { unanchored, anchored }: Decision): void {
  const afterBlank = read(unanchored, new Set([unanchored.initial]), [blank]);
  const rejects = (dfa: Dfa, states: ReadonlySet<number>): boolean =>
    [...states].every((state) => dfa.endOutput[state] === 0);
  let at: Reading = { unanchored: new Set([unanchored.initial]), anchored: new Set([anchored.initial]) };
  let node = root;
  for (const part of text.split(number).flatMap((part, i) => (i % 2 === 1 ? part : [...part]))) {
    const isNumber = number.test(part);
    const symbols = isNumber ? members(numberSet) : [part.charCodeAt(0)];
    at = {
      unanchored: read(unanchored, at.unanchored, symbols, isNumber),
      anchored: read(anchored, at.anchored, symbols, isNumber),
    };
    const key = isNumber ? "number" : part;
    const following = node.next.get(key) ?? createNode(isNumber ? anyNumber : one(setOf(...symbols)));
    node.next.set(key, following);
    node = following;
    node.mayRest =
      part === " " &&
      [...at.unanchored].every((state) => afterBlank.has(state)) &&
      [...at.anchored].every((state) => isDead(anchored, state));
  }
  node.mayEnd = rejects(unanchored, at.unanchored) && rejects(anchored, at.anchored) && rejects(unanchored, afterBlank);
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
