/**
 * Explains a verdict: every entry and rule of the catalogue that occurs in the string, where, and which exceptions
 * apply. Uses the definition of patterns, not the automata, which decide; tests prove that both agree.
 */

import { longestOccurrences, type Occurrence, symbolsOf } from "../pattern/occurrences.ts";
import { parseDataPattern } from "../pattern/parse-data-pattern.ts";
import { print } from "../pattern/print.ts";
import type { Tree } from "../pattern/tree.ts";
import type { Category } from "./categories.ts";
import type { ExplainingFacts } from "./compiled-catalogue.ts";
import type { ExplainedMatch, ExplainedPart, ExplainedVerdict, UserAgent, Verdict } from "./verdict.ts";

interface Exception {
  readonly pattern: string;
  readonly why: string;
  readonly tree: () => Tree;
}

interface Item {
  readonly kind: "entry" | "rule";
  readonly name: string;
  readonly category: Category;
  readonly pattern: string;
  readonly tree: () => Tree;
  /** Matches at least where the pattern does. */
  readonly candidate: RegExp;
  readonly except: readonly Exception[];
  readonly namesOnly: boolean;
}

/** Makes the function that gives explained verdicts; what that needs is made at the first call. */
export function createExplain(
  check: (useragent: UserAgent) => Verdict,
  facts: ExplainingFacts,
): (useragent: UserAgent) => ExplainedVerdict {
  let explainer: ((useragent: string) => ExplainedMatch[]) | undefined;
  return (useragent) => {
    explainer ??= createExplainer(facts);
    const verdict = check(useragent);
    return { ...verdict, explanation: explainer(verdict.useragent) };
  };
}

/** Makes the function that finds all that explains a verdict. */
export function createExplainer(parts: ExplainingFacts): (useragent: string) => ExplainedMatch[] {
  const { rules } = parts;
  const namesOnly = new Set(parts.namesOnly);
  let unnamed = 0;
  const items = parts.items.map((item, index): Item => {
    const rule = item.name === undefined ? rules[unnamed++] : undefined;
    const tree = lazyTree(item.pattern);
    return {
      kind: item.name === undefined ? "rule" : "entry",
      name: item.name ?? rule?.name ?? item.pattern,
      category: item.category,
      pattern: item.pattern,
      tree,
      candidate: candidateOf(item.pattern, tree),
      namesOnly: namesOnly.has(index),
      except: (rule?.except ?? []).map(({ pattern, why }) => ({ pattern, why, tree: lazyTree(pattern) })),
    };
  });
  const groups = inGroups(items);
  return (useragent) => {
    const symbols = symbolsOf(useragent);
    return groups
      .filter(({ expression }) => expression.test(useragent))
      .flatMap(({ members }) => members.filter(({ candidate }) => candidate.test(useragent)))
      .flatMap((item) => explainItem(item, useragent, symbols));
  };
}

function lazyTree(pattern: string): () => Tree {
  let tree: Tree | undefined;
  return () => {
    tree ??= parseDataPattern(pattern, { shorthands: true });
    return tree;
  };
}

interface Group {
  readonly members: readonly Item[];
  /** Matches where the candidate expression of a member does. */
  readonly expression: RegExp;
}

/** Nearly all items do not occur. An engine finds that out fastest for a few dozen items at once. */
const groupSize = 32;

function inGroups(items: readonly Item[]): Group[] {
  const groups: Group[] = [];
  for (let from = 0; from < items.length; from += groupSize) {
    const members = items.slice(from, from + groupSize);
    // linear: consists of the catalogue's patterns
    groups.push({ members, expression: new RegExp(members.map(({ candidate }) => candidate.source).join("|"), "is") });
  }
  return groups;
}

/**
 * With the flags `is`, an engine finds at least the matches of the pattern as it is written, except for `$`, which skips
 * blanks here, and `\S`, which has more characters here. Parsing all patterns instead would take a fifth of a second.
 */
function candidateOf(pattern: string, tree: () => Tree): RegExp {
  // linear: consists of the catalogue's patterns
  return new RegExp(/\$|\\S/.test(pattern) ? print(tree()) : pattern, "is");
}

function explainItem(item: Item, useragent: string, symbols: readonly number[]): ExplainedMatch[] {
  const exceptions = item.except.map((exception) => ({
    exception,
    around: createAround(longestOccurrences(exception.tree(), symbols)),
  }));
  const part = (pattern: string, { from, to }: Occurrence): ExplainedPart => {
    const [start, end] = [Math.max(0, from - 1), Math.min(useragent.length, to - 1)];
    return { pattern, start, end, text: useragent.slice(start, end) };
  };
  const { kind, name, category, pattern, namesOnly } = item;
  const reached = { free: -1, heldBack: -1 };
  return longestOccurrences(item.tree(), symbols).flatMap((occurrence) => {
    const heldBackBy = exceptions.flatMap(({ exception, around }) => {
      const found = around(occurrence);
      return found ? [{ ...part(exception.pattern, found), why: exception.why }] : [];
    });
    const free = heldBackBy.length === 0;
    // Items that only name match at the start of a word, as in the compiler's atWordStart.
    if (namesOnly && /^[A-Za-z]{2}/.test(useragent.slice(Math.max(0, occurrence.from - 2), occurrence.from))) return [];
    // An occurrence inside another with the same result adds nothing.
    const key = free ? "free" : "heldBack";
    if (occurrence.to <= reached[key]) return [];
    reached[key] = occurrence.to;
    return {
      kind,
      name,
      category,
      ...part(pattern, occurrence),
      decides: free && !namesOnly,
      ...(free ? {} : { heldBackBy }),
      ...(namesOnly ? { namesOnly } : {}),
    };
  });
}

/** Finds one of `occurrences` that another occurrence lies in; both are asked for in the order in which they begin. */
function createAround(occurrences: readonly Occurrence[]): (inner: Occurrence) => Occurrence | undefined {
  let next = 0;
  let furthest: Occurrence | undefined;
  return (inner) => {
    for (; next < occurrences.length && occurrences[next]!.from <= inner.from; next++)
      if (furthest === undefined || occurrences[next]!.to > furthest.to) furthest = occurrences[next];
    return furthest !== undefined && inner.to <= furthest.to ? furthest : undefined;
  };
}
