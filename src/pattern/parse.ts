/**
 * Reads a pattern of the portable subset into a tree. An uppercase letter matches both cases, a lowercase letter only itself (crawlers
 * sometimes write their names in lowercase, hardly ever in uppercase); `.` is anything but a line feed;
 * `$` skips blanks and other unprintable characters before the end, because engines disagree about a final line break. In a pattern that
 * matches the empty string, it skips only ASCII white space: a string of other characters is not empty.
 */
import {
  anyChar,
  type CharSet,
  empty,
  endSet,
  foldCapitals,
  members,
  nonAscii,
  range,
  setOf,
  startSet,
  unprintable,
} from "./charset.ts";
import { alt, matchesAnchorsOnly, nothing, one, repeat, seq, type Tree } from "./tree.ts";

/** Thrown for a pattern that is not in the portable subset. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

export interface ParseOptions {
  /** Also accept `\d \w \s \S`, which other lists use. Default false. */
  readonly shorthands?: boolean;
  /** A letter at the beginning of the pattern matches both cases, too. Default false. */
  readonly foldsFirst?: boolean;
  /** Read the output of print, as engines do: letters match themselves, `$` is the end, `\t \n \f \r` are characters. Default false. */
  readonly printed?: boolean;
}

const blanks = range(0x09, 0x0d) | setOf(0x20);
const shorthands: Record<string, CharSet> = {
  d: range(0x30, 0x39),
  w: range(0x30, 0x39) | range(0x41, 0x5a) | range(0x61, 0x7a) | setOf(0x5f),
  s: blanks,
  S: anyChar & ~blanks,
};

const controls: Record<string, CharSet> = { t: setOf(0x09), n: setOf(0x0a), f: setOf(0x0c), r: setOf(0x0d) };

const maxRepeat = 100;
const notLineFeed = anyChar & ~setOf(0x0a);

/** `$`: the end, with characters before it. */
const endAfter = (skipped: CharSet): Tree => seq(repeat(one(skipped), 0, Number.POSITIVE_INFINITY), one(endSet));
const atEnd = endAfter(unprintable);
const atEndOfNothing = endAfter(blanks);

/** Parses `pattern`; throws PatternError. */
export function parsePattern(pattern: string, options: ParseOptions = {}): Tree {
  let at = 0;
  let end = atEnd;

  const fold = options.printed ? (set: CharSet): CharSet => set : foldCapitals;
  const fail = (message: string, where = at): never => {
    throw new PatternError(`${message} at offset ${where} of the pattern ${JSON.stringify(pattern)}`);
  };
  const peek = (): string => pattern[at] ?? "";

  function alternatives(): Tree {
    const items = [sequence()];
    while (peek() === "|") {
      at++;
      items.push(sequence());
    }
    return alt(...items);
  }

  function sequence(): Tree {
    const items: Tree[] = [];
    while (at < pattern.length && peek() !== "|" && peek() !== ")") items.push(repetition());
    return items.length === 0 ? nothing : seq(...items);
  }

  function repetition(): Tree {
    const from = at;
    let item = atom();
    for (;;) {
      const [min, max] = quantifier();
      if (min < 0) return item;
      if (pattern[from] === "^" || pattern[from] === "$") fail("an anchor cannot be repeated", from);
      item = repeat(item, min, max);
      if (peek() === "?" || peek() === "+" || peek() === "*") fail("lazy and possessive repetitions are not portable");
    }
  }

  function quantifier(): [min: number, max: number] {
    const c = peek();
    if (c === "?" || c === "*" || c === "+") {
      at++;
      return [c === "+" ? 1 : 0, c === "?" ? 1 : Number.POSITIVE_INFINITY];
    }
    if (c !== "{") return [-1, -1];
    const found = /^\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/.exec(pattern.slice(at));
    if (!found) return fail("a literal { must be escaped");
    const min = Number(found[1]);
    const max = found[2] ? (found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY) : min;
    if (max < min || min > maxRepeat || (max !== Number.POSITIVE_INFINITY && max > maxRepeat))
      fail(`a repetition must be at most {0,${maxRepeat}} and in order`);
    at += found[0].length;
    return [min, max];
  }

  function atom(): Tree {
    const c = peek();
    switch (c) {
      case "(": {
        const open = at;
        at++;
        if (peek() === "?") {
          if (pattern[at + 1] !== ":") fail("of the (?…) groups only (?:…) is portable");
          at += 2;
        }
        const inner = alternatives();
        if (peek() !== ")") fail("a group is not closed", open);
        at++;
        return inner;
      }
      case "[":
        return one(charClass());
      case "\\":
        return one(fold(escaped()));
      case ".":
        at++;
        return one(notLineFeed);
      case "^":
        at++;
        return one(startSet);
      case "$":
        at++;
        return options.printed ? one(endSet) : end;
      case "*":
      case "+":
      case "?":
      case "{":
      case "}":
      case "]":
        return fail(`a literal ${c} must be escaped`);
      default: {
        const set = setOf(code(c, at));
        const isFirst = at === 0 && options.foldsFirst;
        at++;
        return one(fold(isFirst ? setOf(code(c.toUpperCase(), 0)) | set : set));
      }
    }
  }

  function code(c: string, where: number): number {
    const value = c.charCodeAt(0);
    return value < nonAscii ? value : fail("a pattern must be ASCII", where);
  }

  function escaped(): CharSet {
    const c = pattern[at + 1] ?? "";
    if (c === "") fail("a backslash ends the pattern");
    const shorthand = options.shorthands ? shorthands[c] : options.printed ? controls[c] : undefined;
    if (/[a-zA-Z0-9]/.test(c) && !shorthand) fail(`\\${c} is not portable`);
    at += 2;
    return shorthand ?? setOf(code(c, at - 1));
  }

  function charClass(): CharSet {
    const open = at;
    at++;
    const negated = peek() === "^";
    if (negated) at++;
    let set = empty;
    while (peek() !== "]") {
      const first = classMember(open);
      if (first.single >= 0 && peek() === "-" && pattern[at + 1] !== "]") {
        at++;
        const last = classMember(open);
        if (last.single < first.single) fail("a range is out of order");
        set |= range(first.single, last.single);
      } else set |= first.set;
    }
    at++;
    if (set === empty) fail("a class is empty", open);
    if (negated && set === anyChar) fail("a class matches nothing", open);
    // No spelling of "any character at all" works in every engine, so `[\\s\\S]` means what `.` does.
    if (set === anyChar) return notLineFeed;
    if (negated) return anyChar & ~fold(set);
    // A class of one letter matches only that letter's case.
    return members(set).length === 1 ? set : fold(set);
  }

  function classMember(open: number): { set: CharSet; single: number } {
    if (at >= pattern.length) fail("a class is not closed", open);
    if (peek() === "[") fail("a [ within a class must be escaped");
    if (peek() !== "\\") {
      const single = code(peek(), at);
      at++;
      return { set: setOf(single), single };
    }
    const set = escaped();
    const symbols = members(set);
    return { set, single: symbols.length === 1 ? symbols[0]! : -1 };
  }

  const tree = alternatives();
  if (at < pattern.length) fail("a ) has no matching (");
  if (!matchesAnchorsOnly(tree)) return tree;
  at = 0;
  end = atEndOfNothing;
  return alternatives();
}

/**
 * Parses a pattern of data/: an entry's, a rule's or an exception's. As parsePattern, but the first letter matches both cases: nearly all
 * patterns of small letters are names, which may begin a sentence.
 */
export function parseDataPattern(pattern: string, options: Pick<ParseOptions, "shorthands"> = {}): Tree {
  return parsePattern(pattern, { ...options, foldsFirst: true });
}

/** The pattern that matches `text` and nothing else. */
export function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
