/** Random patterns and strings over a small alphabet, for fast-check: small, so that they meet often. */
import fc from "fast-check";
import { type CharSet, setOf } from "../../src/pattern/charset.ts";
import type { Tree } from "../../src/pattern/tree.ts";

const atom = fc.constantFrom("a", "b", "A", "B", "[ab]", "[^a]", "[^AB]", "[b-d]", ".", " ", "1");

/** Options of `patterns`. */
export interface PatternOptions {
  /** Whether repeats may be without bound. */
  readonly unbounded?: boolean;
  readonly anchors?: boolean;
  /** How deep groups nest; default 2. */
  readonly depth?: number;
}

/** Random patterns of the portable subset, as text. */
export function patterns({ unbounded = true, anchors = true, depth = 2 }: PatternOptions = {}): fc.Arbitrary<string> {
  const quantifiers = ["", "", "", "?", "{2}", "{1,2}", "{0,2}", ...(unbounded ? ["*", "+", "{2,}"] : [])];
  const { pattern } = fc.letrec<{ pattern: string; sequence: string; item: string }>((tie) => ({
    item: fc.oneof(
      { maxDepth: depth, depthIdentifier: "pattern", withCrossShrink: true },
      atom,
      tie("pattern").map((inner) => `(?:${inner})`),
    ),
    sequence: fc
      .array(
        fc.tuple(tie("item"), fc.constantFrom(...quantifiers)).map((parts) => parts.join("")),
        { minLength: 1, maxLength: 3 },
      )
      .map((items) => items.join("")),
    pattern: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((alternatives) => alternatives.join("|")),
  }));
  if (!anchors) return pattern;
  return fc
    .tuple(fc.constantFrom("", "", "", "^", "(?:^|[^a])"), pattern, fc.constantFrom("", "", "", "$", "(?:b|$)"))
    .map(([before, inner, after]) => (before || after ? `${before}(?:${inner})${after}` : inner));
}

/** Random strings over the characters that the patterns tell apart, both cases, and one beyond ASCII. */
export const texts: fc.Arbitrary<string> = fc
  .array(fc.constantFrom("a", "b", "A", "B", "a", "b", "c", " ", "1", "\n", "é"), { maxLength: 8 })
  .map((chars) => chars.join(""));

/** Every string of up to `length` characters of `alphabet`. */
export function allTexts(alphabet: string, length: number): string[] {
  let last = [""];
  const all = [...last];
  for (let i = 0; i < length; i++) {
    last = last.flatMap((text) => [...alphabet].map((char) => text + char));
    all.push(...last);
  }
  return all;
}

/** Random sets of symbols below `limit`. */
export function sets(limit: number): fc.Arbitrary<CharSet> {
  return fc.uniqueArray(fc.integer({ min: 0, max: limit - 1 }), { minLength: 1 }).map((symbols) => setOf(...symbols));
}

/** Whether the tree is small enough for an automaton of a test. */
export function isSmall(tree: Tree): boolean {
  return positions(tree) <= 60;
}

function positions(tree: Tree): number {
  switch (tree.type) {
    case "set":
      return 1;
    case "seq":
    case "alt":
      return tree.items.reduce((sum, item) => sum + positions(item), 0);
    case "repeat":
      return positions(tree.item) * (tree.max === Number.POSITIVE_INFINITY ? Math.max(1, tree.min) : tree.max);
  }
}
