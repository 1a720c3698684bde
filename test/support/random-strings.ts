/**
 * Random strings made of pieces of the catalogue's patterns, seeded: where two patterns meet, overlap, are cut or spelled in
 * another case, and where something other than ASCII stands between them, mistakes would show.
 */
import { type CharSet, members, nonAscii } from "../../src/pattern/charset.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import type { Tree } from "../../src/pattern/tree.ts";

export type Random = (below: number) => number;

/** Numbers from 0 to before the argument; the same for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** What browsers send, and what stands between products. */
const common = [
  ..."Mozilla/5.0 |AppleWebKit/537.36 (KHTML, like Gecko) |Chrome/124.0.0.0 |Safari/537.36|(|)|; |(compatible; |compatible".split(
    "|",
  ),
  ...[" ", ..." /-_.,;+():@[]\\^$|~!0", "1.0", ..."asuC"],
  ..."http:// https:// www. .com mailto: bot Bot crawl spider https://https:// bobobobo".split(" "),
];

/** Characters that encodings, case folding and line ends treat in their own ways. */
export const odd = [
  // Not by code points: halves of a pair come alone, too.
  ...["\u{1f916}", "\ud83e", "\udd16", ..."\u00e9\u00df\u017f\u212a\u0130\u3042\u00a0\u2028\ufeff\u0080"],
  ...["\n", "\r\n", "\r", "\t", "\v", "\f", "\0", "\x1b", "\x7f", "\x85"],
];

/** Options of `createStrings`. */
export interface RandomStringsOptions {
  readonly seed: number;
  readonly patterns: readonly string[];
  /** Strings to take pieces of, such as real user agents. */
  readonly texts?: readonly string[];
  /** Characters to mix in; default `odd`. */
  readonly odd?: readonly string[];
}

/** Makes a function that returns another string each time. */
export function createStrings({ seed, patterns, texts = [], odd: strange = odd }: RandomStringsOptions): () => string {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const flipped = (text: string): string => {
    switch (random(5)) {
      case 0:
        return text.toLowerCase();
      case 1:
        return text.toUpperCase();
      case 2:
        return text.replace(/[a-z]/gi, (c) => (random(2) ? c.toUpperCase() : c.toLowerCase()));
      default:
        return text;
    }
  };
  const cut = (text: string): string => {
    const from = random(3) ? 0 : random(text.length + 1);
    return text.slice(from, random(3) ? text.length : from + random(text.length - from + 1));
  };
  const matches = patterns.flatMap((pattern) => {
    const tree = parsePattern(pattern, { shorthands: true });
    return Array.from({ length: 3 }, () => member(tree, random));
  });
  const pieces = [...matches, ...matches, ...texts.map((text) => cut(cut(text)))].flatMap((text) => [
    flipped(text),
    flipped(cut(text)),
  ]);
  return () => {
    let text = random(4) ? "" : pick(common);
    for (let parts = 1 + random(5); parts > 0; parts--) {
      const kind = random(16);
      if (kind < 8) text += pick(pieces);
      else if (kind < 14) text += pick(common);
      else if (kind < 15) text += pick(strange);
      else text = cut(text);
    }
    return text;
  };
}

/** A random string that the tree matches, as far as ends of the string can be written. */
function member(tree: Tree, random: Random): string {
  switch (tree.type) {
    case "set":
      return characterOf(tree.set, random);
    case "seq":
      return tree.items.map((item) => member(item, random)).join("");
    case "alt":
      return member(tree.items[random(tree.items.length)]!, random);
    case "repeat": {
      const most = Math.min(tree.max, tree.min + 3);
      const times = tree.min + random(most - tree.min + 1);
      return Array.from({ length: times }, () => member(tree.item, random)).join("");
    }
  }
}

function characterOf(set: CharSet, random: Random): string {
  const symbols = members(set);
  const symbol = symbols[random(symbols.length)]!;
  if (symbol > nonAscii) return "";
  return symbol < nonAscii ? String.fromCharCode(symbol) : odd[random(12)]!;
}
