/**
 * Finds the entry or rule that names a crawler: the first one in the order of precedence whose expression matches. Rare letters say which
 * entries may match, and where: an expression runs at one place, where its whole literal stands.
 *
 * The index is a line of text for each item. Its columns, between tabs, are the expression and the finders. A finder is its kind, the
 * place of the rare letters in its literal, counted from the character 0, and its literal, in which a capital stands for either case.
 * The kinds are `a` (the literal is the match), `^` (at the start of the string), `w` (not after a letter), a character from `0` on (a
 * match begins so many characters before the literal), and `*` (a match has the literal anywhere). An item with a finder of the first
 * three kinds has no expression. An item without finders is tried on every string; `~` is an automaton that
 * says quickly whether its expression matches.
 */

import { escapeLiteral } from "../pattern/parse.ts";
import { accepts } from "./automaton/run.ts";
import { acceptsByRows, few, fillRows, type Rows, readRows, type Table } from "./automaton/tables.ts";
import type { Finders } from "./compiled-catalogue.ts";
import { fromBytesText } from "./text.ts";

/** The item that names a crawler, and its match. */
export interface Found {
  readonly item: number;
  readonly from: number;
  readonly to: number;
}

const none = 0xffff;
/** More than the characters of any string. */
const placesOfItem = 2 ** 32;
/** How many lists of finders there are, as a power of two. */
const listBits = 15;
/** Marks groups of three letters, which otherwise are four. */
const ofThree = 0xff000000 | 0;
const zero = 0x30;
const [anywhere, atStart, atWordStart, somewhere] = [0x61, 0x5e, 0x77, 0x2a];

/** Reads the lines of an index. */
export function readFinders(lines: readonly string[]): Finders {
  const always: Finders["always"][number][] = [];
  const finders = [""];
  const items = [none];
  for (const [item, line] of lines.entries()) {
    const [, ...columns] = line.split("\t");
    const first = columns[0];
    if (first === undefined) always.push({ item });
    else if (first.startsWith("~")) always.push({ item, rows: () => readRows(fromBytesText(first.slice(1))) });
    else for (const finder of columns) items[finders.push(finder) - 1] = item;
  }
  const letters = Int32Array.from(finders, lettersOf);
  const next = new Uint16Array(finders.length);
  const lists = new Uint16Array(1 << listBits);
  // The first item of a list comes last.
  for (let finder = finders.length - 1; finder > 0; finder--) {
    const list = hash(letters[finder]!);
    next[finder] = lists[list]!;
    lists[list] = finder;
  }
  return { lines, always, finders, itemOf: Uint16Array.from(items), letters, next, lists };
}

/** Finds names with an index. Expressions are made when they are first needed. */
export class NameIndex {
  readonly #lines: readonly string[];
  readonly #always: { readonly item: number; readonly matches: (text: string) => boolean }[];
  readonly #finders: readonly string[];
  readonly #itemOf: Uint16Array;
  readonly #letters: Int32Array;
  readonly #next: Uint16Array;
  readonly #lists: Uint16Array;
  /** By item: its expression where a match begins, and anywhere. */
  readonly #sticky: (RegExp | undefined)[] = [];
  readonly #searching: (RegExp | undefined)[] = [];
  /** Where matches may begin in the string that is being read: the item times `placesOfItem`, and 1 + the place; 0 for any. */
  readonly #places: number[] = [];
  #best = none;
  #from = 0;
  #to = 0;

  constructor(index: readonly string[] | Finders) {
    const { lines, always, finders, itemOf, letters, next, lists } = "always" in index ? index : readFinders(index);
    this.#lines = lines;
    this.#always = always.map(({ item, rows }) => ({ item, matches: createTest(rows) }));
    this.#finders = finders;
    this.#itemOf = itemOf;
    this.#letters = letters;
    this.#next = next;
    this.#lists = lists;
  }

  /** The item that names `text`, and the first match of its expression; undefined if none does. */
  find(text: string): Found | undefined {
    this.#best = none;
    this.#places.length = 0;
    const lists = this.#lists;
    let letters = 0;
    for (let i = 0; i < text.length; i++) {
      letters = (letters << 8) | fold(text.charCodeAt(i));
      const four = lists[hash(letters)]!;
      if (four !== 0) this.#look(four, letters, text, i + 1);
      const three = lists[hash(letters | ofThree)]!;
      if (three !== 0) this.#look(three, letters | ofThree, text, i + 1);
    }
    this.#tryPlaces(text);
    for (const { item, matches } of this.#always) {
      if (item > this.#best || (matches(text) && this.#isAnywhere(item, text))) break;
    }
    return this.#best === none ? undefined : { item: this.#best, from: this.#from, to: this.#to };
  }

  /** Tries the finders of a list with the letters that end before `end`. */
  #look(first: number, letters: number, text: string, end: number): void {
    for (let finder = first; finder !== 0; finder = this.#next[finder]!)
      if (this.#letters[finder] === letters && this.#itemOf[finder]! <= this.#best) this.#try(finder, text, end);
  }

  #try(number: number, text: string, end: number): void {
    const finder = this.#finders[number]!;
    const item = this.#itemOf[number]!;
    const length = finder.length - 2;
    const from = end - Math.min(4, length) - (finder.charCodeAt(1) - zero);
    if (!stands(finder, text, from)) return;
    const kind = finder.charCodeAt(0);
    if (kind === anywhere || kind === atStart || kind === atWordStart) {
      if (item === this.#best && from >= this.#from) return;
      if (kind === anywhere || (kind === atStart ? from === 0 : !isLetter(text.charCodeAt(from - 1))))
        this.#found(item, from, from + length);
    } else if (kind === somewhere) this.#places.push(item * placesOfItem);
    else if (from >= kind - zero) this.#places.push(item * placesOfItem + 1 + from - (kind - zero));
  }

  /**
   * Runs expressions where their matches may begin, in the order of precedence of their items. All literals are found before, because an
   * engine takes as long to compile an expression as to read kilobytes.
   */
  #tryPlaces(text: string): void {
    const places = this.#places;
    if (places.length > 1) places.sort((a, b) => a - b);
    let tried = none;
    for (const place of places) {
      const item = Math.floor(place / placesOfItem);
      if (item > this.#best) return;
      if (item === tried) continue;
      const from = place % placesOfItem;
      if (from === 0) {
        if (this.#isAnywhere(item, text)) return;
        tried = item;
      } else if (this.#isAt(item, from - 1, text)) return;
    }
  }

  #isAt(item: number, from: number, text: string): boolean {
    const expression = this.#sticky[item] ?? this.#compile(item, "y");
    this.#sticky[item] = expression;
    expression.lastIndex = from;
    if (!expression.test(text)) return false;
    this.#found(item, from, expression.lastIndex);
    return true;
  }

  /** Whether an item matches; reads all of the text. */
  #isAnywhere(item: number, text: string): boolean {
    const expression = this.#searching[item] ?? this.#compile(item, "");
    this.#searching[item] = expression;
    const found = expression.exec(text);
    if (found !== null) this.#found(item, found.index, found.index + found[0].length);
    return found !== null;
  }

  #found(item: number, from: number, to: number): void {
    this.#best = item;
    this.#from = from;
    this.#to = to;
  }

  #compile(item: number, flags: string): RegExp {
    // linear: consists of the catalogue's patterns
    return new RegExp(this.#written(item), flags);
  }

  /** The expression of an item in its line: empty if it has a finder that is its match. */
  #written(item: number): string {
    return this.#lines[item]!.split("\t", 1)[0]!;
  }
}

/** The expression of a line; its match has no context. */
export function expressionOf(line: string): string {
  const [expression = "", finder = ""] = line.split("\t", 2);
  if (expression !== "") return expression;
  const literal = escapeLiteral(finder.slice(2)).replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
  return { a: "", "^": "^", w: "(?<![A-Za-z])" }[finder[0]!]! + literal;
}

/** Whether an expression may match: by its automaton, if it has one, which is read at the first call. */
function createTest(open: (() => Rows) | undefined): (text: string) => boolean {
  if (open === undefined) return () => true;
  let rows: Rows | undefined;
  let table: Table | undefined;
  let left = few;
  return (text) => {
    if (table === undefined) {
      rows ??= open();
      left -= text.length;
      if (left > 0) return acceptsByRows(rows, text);
      table = fillRows(rows);
    }
    return accepts(table, text);
  };
}

/** Whether the literal of a finder stands in `text` at `at`. */
function stands(finder: string, text: string, at: number): boolean {
  for (let i = 2; i < finder.length; i++) {
    const wanted = finder.charCodeAt(i);
    const code = text.charCodeAt(at + i - 2);
    if (code !== wanted && (code !== wanted + 32 || wanted < 0x41 || wanted > 0x5a)) return false;
  }
  return true;
}

/** The rare letters of a finder. */
function lettersOf(finder: string): number {
  if (finder === "") return 0;
  const from = 2 + finder.charCodeAt(1) - zero;
  const size = Math.min(4, finder.length - 2);
  let letters = size === 3 ? 0xff : 0;
  for (let i = from; i < from + size; i++) letters = (letters << 8) | fold(finder.charCodeAt(i));
  return letters;
}

function hash(letters: number): number {
  return Math.imul(letters, 0x9e3779b1) >>> (32 - listBits);
}

/** The small letter of a capital; characters beyond ASCII are one. */
function fold(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code | 0x20 : Math.min(code, 0x7f);
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}
