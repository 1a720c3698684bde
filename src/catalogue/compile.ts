/** Compiles a catalogue: one tree that decides, and the order in which entries win where several match. */
import { decide } from "../automaton/decide.ts";
import { type Dfa, determinise } from "../automaton/dfa.ts";
import { ignoresEncoding } from "../automaton/encodings.ts";
import { minimise } from "../automaton/minimise.ts";
import { toNfa } from "../automaton/nfa.ts";
import { arrange } from "../pattern/factor.ts";
import { alt, isAnchoredAtStart, isNever, shortest, type Tree } from "../pattern/tree.ts";
import type { Catalogue, Entry, Signature } from "./entry.ts";
import { withoutExceptions } from "./exceptions.ts";
import { parseSign } from "./parse-sign.ts";
import { decidingTrees } from "./prune.ts";
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
  /**
   * Minimal; output 1 means crawler, and reading may stop at it. What is bound to the start of a string (`opening`) and what
   * is searched for all along it (`search`) are two automata: in one, every state of the search would stand twice.
   */
  readonly opening: Dfa;
  readonly search: Dfa;
  /** Every sign in the order of precedence (shapes last), and its tree. */
  readonly signs: readonly Sign[];
  readonly signTrees: readonly Tree[];
  /** Minimal; the output is 1 + the index of the sign that wins; 0 also where only a shape matches. */
  readonly identification: Dfa;
}

/** Compiles `catalogue`; throws DataError for patterns and exceptions that cannot be. */
export function compile(catalogue: Catalogue): Compiled {
  const signs = inPrecedence(catalogue);
  const signTrees = signs.map(treeOf);
  const alternatives = decidingTrees(signs, signTrees);
  const tree = arrange(alt(...alternatives));
  const { opening, search } = decide(alternatives);
  if (![opening, search].every(ignoresEncoding)) throw new DataError(countingNonAscii(signs, signTrees));
  // A shape says something of the whole string, and only where nothing more specific does: it would multiply the states.
  const identification = minimise(determinise(toNfa(signTrees.filter((_, i) => !isShape(signs[i]!)))));
  return { alternatives, tree, opening, search, signs, signTrees, identification };
}

/** Whether a sign is a shape: a signature that describes how a string begins, or all of it. */
export function isShape(sign: Sign): boolean {
  return sign.kind === "signature" && isAnchoredAtStart(parseSign(sign.item.pattern));
}

function treeOf(sign: Sign): Tree {
  const tree = parseSign(sign.item.pattern, { shorthands: true });
  if (sign.kind === "entry") return tree;
  try {
    const rest = withoutExceptions(
      tree,
      sign.item.except.map((exception) => parseSign(exception.pattern)),
    );
    if (isNever(rest)) throw new RangeError("its exceptions leave nothing of the pattern");
    return rest;
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
    catalogue.entries.map((entry) => [entry, -shortest(parseSign(entry.pattern, { shorthands: true }))]),
  );
  const theirs = (entry: Entry): number => (entry.source.startsWith("crawler-user-agents") ? 1 : 0);
  const entries = catalogue.entries.toSorted(
    (a, b) =>
      tool(a) - tool(b) ||
      theirs(a) - theirs(b) ||
      long.get(a)! - long.get(b)! ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  const signatures = catalogue.signatures.map((item): Sign => ({ kind: "signature", item }));
  return [
    ...entries.map((item): Sign => ({ kind: "entry", item })),
    ...signatures.filter((sign) => !isShape(sign)),
    ...signatures.filter(isShape),
  ];
}

/** What is wrong with patterns for which one character beyond ASCII is something else than two. */
function countingNonAscii(signs: readonly Sign[], trees: readonly Tree[]): string[] {
  const alone = trees.map((tree) => minimise(determinise(toNfa([tree]), { absorbing: true })));
  return signs
    .filter((_, i) => !ignoresEncoding(alone[i]!))
    .map(
      ({ item }) =>
        `${item.source}: the pattern of ${item.name} counts characters beyond ASCII, which are one, two or more in ` +
        `UTF-8, UTF-16 and code points; write [ -~] instead of a dot or a negated class`,
    );
}
