/** Writes a tree as a regular expression, in the spelling that an engine needs (a flavor). */
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
import { type Flavor, portable } from "./flavors.ts";
import { isNever, isNothing, type Tree } from "./tree.ts";

/** Prints `tree`; throws RangeError for a tree that matches no string, because no engine has a notation for it. */
export function print(tree: Tree, flavor: Flavor = portable): string {
  if (isNever(tree)) throw new RangeError("a pattern that matches nothing has no spelling");
  switch (tree.type) {
    case "set":
      return printSet(tree.set, flavor);
    case "seq":
      return tree.items.map((item) => (item.type === "alt" ? grouped(item, flavor) : print(item, flavor))).join("");
    case "alt":
      return tree.items
        .map((item) => (item.type === "set" ? setParts(item.set, flavor).join("|") : print(item, flavor)))
        .join("|");
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

/** A set that contains an end of the string is an alternative, because a class cannot contain an anchor. */
function printSet(set: CharSet, flavor: Flavor): string {
  const parts = setParts(set, flavor);
  return parts.length === 1 ? parts[0]! : `${flavor.group}${parts.join("|")})`;
}

function setParts(set: CharSet, flavor: Flavor): string[] {
  const chars = set & anyChar;
  return [
    ...(has(set, start) ? ["^"] : []),
    ...(has(set, end) ? ["$"] : []),
    ...(chars === empty ? [] : [printClass(chars, flavor)]),
  ];
}

const upperCase = range(0x41, 0x5a);

function printClass(chars: CharSet, flavor: Flavor): string {
  const visible = flavor.lowerCase ? foldCase(chars) & ~upperCase : chars;
  const listed = members(visible);
  if (listed.length === 1 && listed[0]! < 128) return printChar(listed[0]!, flavor);
  const negated = has(visible, 128);
  const inside = negated ? members(anyChar & ~visible & (flavor.lowerCase ? ~upperCase : anyChar)) : listed;
  if (inside.length === 1 && inside[0] === 0x0a) return flavor.classes === "plain" ? "." : "[^\\n]";
  // "Any character": `.` excludes line ends, different ones in each engine, and no class of all characters works in all engines.
  if (inside.length === 0) return `${flavor.group}[^a]|a)`;
  const text =
    flavor.classes === "plain"
      ? plainMembers(inside, negated)
      : printRuns(inside, (symbol) => classChar(symbol, flavor));
  return `[${negated ? "^" : ""}${text}]`;
}

/** POSIX has no escapes within a class: a closing bracket comes first, a caret not first, a minus last. */
function plainMembers(symbols: readonly number[], negated: boolean): string {
  const placed = "]^-".split("").filter((char) => symbols.includes(char.charCodeAt(0)));
  const others = symbols.filter((symbol) => !placed.includes(String.fromCharCode(symbol)) && symbol !== 0x5c);
  const has = (char: string): string => (placed.includes(char) ? char : "");
  // awk, unlike POSIX, reads a backslash as an escape. Two backslashes are one in both.
  const backslash = symbols.includes(0x5c) ? "\\\\" : "";
  const front = has("]") + printRuns(others, (symbol) => String.fromCharCode(symbol)) + backslash;
  if (front === "" && !negated) return has("-") + has("^");
  return front + has("^") + has("-");
}

/** The members of a class, runs of three or more consecutive symbols as ranges. */
function printRuns(symbols: readonly number[], print: (symbol: number) => string): string {
  const runs: [from: number, to: number][] = [];
  for (const symbol of symbols) {
    const run = runs.at(-1);
    if (run && run[1] === symbol - 1) run[1] = symbol;
    else runs.push([symbol, symbol]);
  }
  const printed = runs.map(([from, to]) => {
    const [first, last] = [print(from), print(to)];
    return from === to ? first : to === from + 1 ? first + last : `${first}-${last}`;
  });
  return printed.join("");
}

function classChar(symbol: number, flavor: Flavor): string {
  const char = visibleChar(symbol);
  if (char === "/") return flavor.slash;
  // Escapes that the `v` flag of JavaScript requires and that the `u` flag, RE2 and Rust accept.
  return /^[()[\]{}\-\\|^]$/.test(char) ? `\\${char}` : char;
}

function printChar(symbol: number, flavor: Flavor): string {
  if (flavor.classes === "plain") {
    const char = String.fromCharCode(symbol);
    return /[\\^$.*+?()[{|]/.test(char) ? `\\${char}` : char;
  }
  const char = visibleChar(symbol);
  if (char === "/") return flavor.slash;
  return /^[\\^$.*+?()[\]{}|]$/.test(char) ? `\\${char}` : char;
}

/** Files and terminals may change control characters; these names are the same in all engines. */
const controlNames: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r" };

function visibleChar(symbol: number): string {
  const name = controlNames[symbol];
  if (name !== undefined) return name;
  if (symbol >= 0x20 && symbol < 0x7f) return String.fromCharCode(symbol);
  return `\\x${symbol.toString(16).padStart(2, "0")}`;
}

/** The tree as a regular expression of the engine at hand; it needs no flags. */
export function toRegExp(tree: Tree): RegExp {
  // linear: consists of the catalogue's patterns
  return new RegExp(print(tree));
}
