/**
 * Compiles a catalogue: one tree that decides (signatures without their exceptions, and the entries they do not cover),
 * and the order in which entries win where several match.
 */
import { createCover } from "../automaton/covers.ts";
import { type Dfa, determinise } from "../automaton/dfa.ts";
import { minimise } from "../automaton/minimise.ts";
import { toNfa } from "../automaton/nfa.ts";
import { members, nonAscii } from "../pattern/charset.ts";
import { except } from "../pattern/difference.ts";
import { factor } from "../pattern/factor.ts";
import { parsePattern } from "../pattern/parse.ts";
import { toRegExp } from "../pattern/print.ts";
import { alt, type Tree } from "../pattern/tree.ts";
import type { Catalogue, Entry, Signature } from "./entry.ts";
import { DataError } from "./yaml.ts";

/** What a match is attributed to, in the order of precedence: entries, the most specific first, then signatures. */
export type Sign =
  | { readonly kind: "entry"; readonly item: Entry }
  | { readonly kind: "signature"; readonly item: Signature };

export interface Compiled {
  /** The alternatives of the expression; none is covered by the others. */
  readonly alternatives: readonly Tree[];
  /** Their union, common parts shared. */
  readonly tree: Tree;
  /** Minimal; output 1 means crawler. Reading may stop at the first output. */
  readonly decision: Dfa;
  /** Every sign in the order of precedence, and its tree. */
  readonly signs: readonly Sign[];
  readonly signTrees: readonly Tree[];
  /** Minimal; the output is 1 + the index of the sign that wins. */
  readonly identification: Dfa;
}

/** Compiles `catalogue`; throws DataError for patterns and exceptions that cannot be. */
export function compile(catalogue: Catalogue): Compiled {
  const signs = inPrecedence(catalogue);
  const signTrees = signs.map(treeOf);
  const alternatives = prune(signs, signTrees);
  const tree = factor(alt(...alternatives));
  const decision = minimise(determinise(toNfa([tree]), { absorbing: true }));
  const identification = minimise(determinise(toNfa(signTrees)));
  return { alternatives, tree, decision, signs, signTrees, identification };
}

function treeOf(sign: Sign): Tree {
  const tree = parsePattern(sign.item.pattern, { shorthands: true });
  if (sign.kind === "entry") return tree;
  try {
    return except(
      tree,
      sign.item.except.map((exception) => parsePattern(exception.pattern)),
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DataError([`${sign.item.source}: signature ${sign.item.name}: ${error.message}`]);
  }
}

/**
 * A named crawler is more specific than the tool it is built with (a library, a headless browser), reviewed data more
 * reliable than the package's, a longer pattern more specific than a shorter one.
 */
function inPrecedence(catalogue: Catalogue): Sign[] {
  const tool = (entry: Entry): number => (entry.category === "library" || entry.category === "automation" ? 1 : 0);
  const long = new Map(
    catalogue.entries.map((entry) => [entry, -shortest(parsePattern(entry.pattern, { shorthands: true }))]),
  );
  const theirs = (entry: Entry): number => (entry.source.startsWith("crawler-user-agents") ? 1 : 0);
  const entries = catalogue.entries.toSorted(
    (a, b) =>
      tool(a) - tool(b) ||
      theirs(a) - theirs(b) ||
      long.get(a)! - long.get(b)! ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  return [
    ...entries.map((item): Sign => ({ kind: "entry", item })),
    ...catalogue.signatures.map((item): Sign => ({ kind: "signature", item })),
  ];
}

/** One of the shortest strings that the tree matches as a whole. */
function sample(tree: Tree): string {
  switch (tree.type) {
    case "set": {
      const symbol = members(tree.set)[0]!;
      return symbol < nonAscii ? String.fromCharCode(symbol) : symbol === nonAscii ? "\u00e9" : "";
    }
    case "seq":
      return tree.items.map(sample).join("");
    case "alt":
      return sample(tree.items.reduce((a, b) => (shortest(b) < shortest(a) ? b : a)));
    case "repeat":
      return sample(tree.item).repeat(tree.min);
  }
}

/** The length of the shortest match, in symbols. */
function shortest(tree: Tree): number {
  switch (tree.type) {
    case "set":
      return 1;
    case "seq":
      return tree.items.reduce((sum, item) => sum + shortest(item), 0);
    case "alt":
      return Math.min(...tree.items.map(shortest));
    case "repeat":
      return tree.min * shortest(tree.item);
  }
}

/** Leaves out every alternative whose strings others accept: signatures first, then entries, the most general first. */
function prune(signs: readonly Sign[], trees: readonly Tree[]): Tree[] {
  const signatures = trees.filter((_, i) => signs[i]!.kind === "signature");
  const coveredBySignatures = coverOf(signatures);
  const candidates = trees
    .filter((tree, i) => signs[i]!.kind === "entry" && !coveredBySignatures(tree))
    .sort((a, b) => shortest(a) - shortest(b));
  // Inclusion is dear to decide; a shortest match of the one that the other does not match settles most pairs.
  const samples = new Map(candidates.map((tree) => [tree, sample(tree)]));
  const kept: { tree: Tree; expression: RegExp; cover?: (tree: Tree) => boolean }[] = [];
  for (const tree of candidates) {
    const covered = kept.some((other) => {
      if (!other.expression.test(samples.get(tree)!)) return false;
      other.cover ??= coverOf([other.tree]);
      return other.cover(tree);
    });
    if (!covered) kept.push({ tree, expression: toRegExp(tree) });
  }
  return [...signatures, ...kept.map(({ tree }) => tree)];
}

function coverOf(trees: readonly Tree[]): (tree: Tree) => boolean {
  return trees.length === 0 ? () => false : createCover(determinise(toNfa(trees), { absorbing: true }));
}
