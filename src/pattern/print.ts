/** Writes a tree as a regular expression, in the spelling that an engine needs (a flavour). */
import {
  anyChar,
  type CharSet,
  empty,
  end,
  endSet,
  foldCase,
  has,
  members,
  range,
  start,
  startSet,
} from "./charset.ts";
import { isNothing, type Tree } from "./tree.ts";

export interface Flavor {
  /** What opens a group that captures nothing. */
  readonly group: "(?:" | "(";
  /** Whether letters are written in lower case only, for engines that are told to ignore case. */
  readonly lowerCase: boolean;
  /** Whether a backslash within a class is an ordinary character, as in POSIX. */
  readonly plainClass: boolean;
}

export const portable: Flavor = { group: "(?:", lowerCase: false, plainClass: false };

/** Prints `tree`. */
export function print(tree: Tree, flavor: Flavor = portable): string {
  switch (tree.type) {
    case "set":
      return printSet(tree.set, flavor);
    case "seq":
      return tree.items.map((item) => (item.type === "alt" ? grouped(item, flavor) : print(item, flavor))).join("");
    case "alt":
      return tree.items.map((item) => print(item, flavor)).join("|");
    case "repeat": {
      const single = tree.item.type === "set" && (tree.item.set & (startSet | endSet)) === empty;
      const item = single ? print(tree.item, flavor) : grouped(tree.item, flavor);
      return item + quantifier(tree.min, tree.max);
    }
  }
}

function grouped(tree: Tree, flavor: Flavor): string {
  return isNothing(tree) ? "" : `${flavor.group}${print(tree, flavor)})`;
}

function quantifier(min: number, max: number): string {
  if (min === 0 && max === 1) return "?";
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** A set with an end of the string among its members is an alternative: a class cannot hold an anchor. */
function printSet(set: CharSet, flavor: Flavor): string {
  const chars = set & anyChar;
  const parts = [
    ...(has(set, start) ? ["^"] : []),
    ...(has(set, end) ? ["$"] : []),
    ...(chars === empty ? [] : [printClass(chars, flavor)]),
  ];
  return parts.length === 1 ? parts[0]! : `${flavor.group}${parts.join("|")})`;
}

function printClass(chars: CharSet, flavor: Flavor): string {
  const folded = flavor.lowerCase && chars === foldCase(chars);
  const visible = folded ? chars & ~range(0x41, 0x5a) : chars;
  const listed = members(visible);
  if (listed.length === 1 && listed[0]! < 128) return printChar(listed[0]!, flavor);
  const negated = has(visible, 128);
  const inside = negated ? members(anyChar & ~chars & (folded ? ~range(0x41, 0x5a) : anyChar)) : listed;
  if (inside.length === 1 && inside[0] === 0x0a) return flavor.plainClass ? "." : "[^\\n]";
  if (inside.length === 0) throw new RangeError("no spelling of 'any character at all' works in every engine; use .");
  return `[${negated ? "^" : ""}${printMembers(inside, flavor)}]`;
}

/** Runs of four or more become ranges, but only within letters, digits or other printable characters, never across them. */
function printMembers(symbols: readonly number[], flavor: Flavor): string {
  let text = "";
  const tail: string[] = [];
  for (let i = 0; i < symbols.length; ) {
    let j = i;
    while (j + 1 < symbols.length && symbols[j + 1] === symbols[j]! + 1) j++;
    if (j - i >= 2) {
      text += `${classChar(symbols[i]!, flavor)}-${classChar(symbols[j]!, flavor)}`;
    } else {
      for (let k = i; k <= j; k++) {
        // POSIX has no escapes within a class: there a minus stands last, a closing bracket first, a caret not first.
        if (flavor.plainClass && (symbols[k] === 0x2d || symbols[k] === 0x5e))
          tail.push(String.fromCharCode(symbols[k]!));
        else if (flavor.plainClass && symbols[k] === 0x5d) text = `]${text}`;
        else text += classChar(symbols[k]!, flavor);
      }
    }
    i = j + 1;
  }
  return text + tail.sort().reverse().join("");
}

function classChar(symbol: number, flavor: Flavor): string {
  const char = String.fromCharCode(symbol);
  if (flavor.plainClass) return char;
  // What the `v` flag of JavaScript wants escaped, and nothing that the `u` flag, RE2 or Rust would refuse.
  return /[()[\]{}/\-\\|^$.*+?]/.test(char) ? `\\${char}` : char;
}

function printChar(symbol: number, flavor: Flavor): string {
  const char = String.fromCharCode(symbol);
  const special = flavor.plainClass ? /[\\^$.*+?()[\]{}|]/ : /[\\^$.*+?()[\]{}|/]/;
  return special.test(char) ? `\\${char}` : char;
}

/** The tree as a regular expression of the engine at hand; it needs no flags. */
export function toRegExp(tree: Tree): RegExp {
  return new RegExp(print(tree));
}
