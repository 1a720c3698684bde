/**
 * Finds the entry or rule that names a crawler: the first one in the order of precedence whose expression matches. Rare letters tell which
 * entries may match, and where: an expression runs only where its whole literal occurs.
 *
 * The index is a line of text for each item. Its columns, between tabs, are the expression and the finders. A finder is its kind, the
 * place of the rare letters in its literal, counted from the character 0, and its literal, in which a capital stands for either case.
 * The kinds are `a` (the literal is the match), `^` (at the start of the string), `w` (not after a letter), a character from `0` on (a
 * match begins so many characters before the literal), and `*` (a match has the literal anywhere). An item with a finder of the first
 * three kinds has no expression. An item without finders is tried on every string; `~` is an automaton that
 * says quickly whether its expression matches.
 */

import { escapeLiteral } from "../pattern/parse.ts";
import { acceptsHalvesOfBytes } from "./automaton/run.ts";
import { acceptsByRows, fillRows, maxCharactersByRows, type Rows, readRows, type Table } from "./automaton/tables.ts";
import type { Finders } from "./compiled-catalogue.ts";
import { fromBytesText } from "./text.ts";

/** The item that names a crawler, and its match. */
export interface Found {
  readonly item: number;
  readonly from: number;
  readonly to: number;
}

const none = 0xffff;
/** Larger than the length of any string. */
const placesOfItem = 2 ** 32;
/** How many consecutive letters are looked up. */
export const lettersSize = 3;
/** Letters are distinguished by five bits, which are the same in either case. */
export const listCount = 32 ** lettersSize;
/** Of most strings, in characters. */
const usualLength = 1024;
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
  const size = finders.reduce((sum, finder) => sum + finder.length, 0);
  if (lines.length >= none) throw new RangeError(`an index of names has at most ${none - 1} lines`);
  const starts = createNumbers(finders.length + 1, size);
  for (const [number, finder] of finders.entries()) starts[number + 1] = starts[number]! + finder.length;
  const bytes = new Uint8Array(size);
  fill(bytes, finders.join(""));
  const next = createNumbers(finders.length, finders.length);
  const lists = createNumbers(listCount, finders.length);
  // Lists are built from the end, so that they start with their first item.
  for (let finder = finders.length - 1; finder > 0; finder--) {
    const list = listOf(finders[finder]!, 2 + bytes[starts[finder]! + 1]! - zero);
    next[finder] = lists[list]!;
    lists[list] = finder;
  }
  return { lines, always, bytes, starts, itemOf: Uint16Array.from(items), next, lists };
}

/** Zeros that can become as large as `most`: most indexes need 16 bits, which are read faster. */
function createNumbers(length: number, most: number): Uint16Array | Uint32Array {
  return most > 0xffff ? new Uint32Array(length) : new Uint16Array(length);
}

/** Runtimes have an encoder, with which Node takes a quarter of the time; the language has none. */
const { TextEncoder: Encoder } = globalThis as { TextEncoder?: new () => Encoder };

interface Encoder {
  encodeInto(text: string, bytes: Uint8Array): { readonly read: number; readonly written: number };
}

/** Finds names with an index. Expressions are made when they are first needed. */
export class NameIndex {
  readonly #lines: readonly string[];
  readonly #always: { readonly item: number; readonly matches: Test }[];
  readonly #bytes: Uint8Array;
  readonly #starts: Uint16Array | Uint32Array;
  readonly #itemOf: Uint16Array;
  readonly #next: Uint16Array | Uint32Array;
  readonly #lists: Uint16Array | Uint32Array;
  readonly #usual = new Uint8Array(usualLength);
  readonly #encoder = Encoder && new Encoder();
  /** By item: its expression where a match begins, and anywhere. Engines read lists with holes more slowly. */
  readonly #sticky: (RegExp | undefined)[];
  readonly #searching: (RegExp | undefined)[];
  /** Where matches may begin in the string that is being read: the item times `placesOfItem`, and 1 + the place; 0 for any. */
  #places: number[] = [];
  #best = none;
  #from = 0;
  #to = 0;

  constructor(index: readonly string[] | Finders) {
    const { lines, always, bytes, starts, itemOf, next, lists } = "always" in index ? index : readFinders(index);
    this.#lines = lines;
    this.#always = always.map(({ item, rows }) => ({ item, matches: createTest(rows) }));
    this.#sticky = Array.from({ length: lines.length });
    this.#searching = Array.from({ length: lines.length });
    this.#bytes = bytes;
    this.#starts = starts;
    this.#itemOf = itemOf;
    this.#next = next;
    this.#lists = lists;
  }

  /** The item that names `text`, and the first match of its expression; undefined if none does. */
  find(text: string): Found | undefined {
    this.#best = none;
    if (this.#places.length > 0) this.#places = [];
    const { length } = text;
    const codes = this.#read(text);
    const lists = this.#lists;
    let list = 0;
    for (let i = 0; i < length; i++) {
      list = nextList(list, codes[i]!);
      const first = lists[list]!;
      if (first !== 0) this.#look(first, codes, i + 1, length);
    }
    if (this.#places.length > 0) this.#tryPlaces(text);
    for (const { item, matches } of this.#always) {
      if (item > this.#best || (matches(text, codes) && this.#isAnywhere(item, text))) break;
    }
    return this.#best === none ? undefined : { item: this.#best, from: this.#from, to: this.#to };
  }

  /** The characters of a text, possibly followed by others, as bytes, which are read in a fraction of the time that strings take. */
  #read(text: string): Uint8Array {
    const codes = text.length <= usualLength ? this.#usual : new Uint8Array(text.length);
    const encoded = this.#encoder?.encodeInto(text, codes);
    // Characters beyond ASCII are several bytes.
    if (encoded?.read !== text.length || encoded.written !== text.length) fill(codes, text);
    return codes;
  }

  /** Tries the finders of a list whose letters end before `end`. */
  #look(first: number, codes: Uint8Array, end: number, length: number): void {
    for (let finder = first; finder !== 0; finder = this.#next[finder]!)
      if (this.#itemOf[finder]! <= this.#best) this.#try(finder, codes, end, length);
  }

  #try(finder: number, codes: Uint8Array, end: number, length: number): void {
    const bytes = this.#bytes;
    const start = this.#starts[finder]! + 2;
    const last = this.#starts[finder + 1]!;
    const from = end - lettersSize - (bytes[start - 1]! - zero);
    const to = from + last - start;
    if (from < 0 || to > length || !stands(bytes, start, last, codes, from)) return;
    const item = this.#itemOf[finder]!;
    const kind = bytes[start - 2]!;
    if (kind === anywhere || kind === atStart || kind === atWordStart) {
      if (item === this.#best && from >= this.#from) return;
      if (kind === anywhere || from === 0 || (kind === atWordStart && !isLetter(codes[from - 1]!)))
        this.#found(item, from, to);
    } else if (kind === somewhere) this.#places.push(item * placesOfItem);
    else if (from >= kind - zero) this.#places.push(item * placesOfItem + 1 + from - (kind - zero));
  }

  /**
   * Runs expressions where their matches may begin, in the order of precedence of their items. All literals are found first, because
   * compiling an expression takes an engine as long as reading kilobytes.
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

  /** The expression in an item's line; empty if one of its finders is the match itself. */
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

/** The same in the portable subset: the context of a match is a part of it. */
export function portableOf(line: string): string {
  // Only at the beginning of an alternative: printExactMatch writes no other brackets of this kind.
  return expressionOf(line).replace(/(^|\|)\(\?<(=|!\[\^|!\[)/g, (_, before, kind) => before + portableContexts[kind]);
}

const portableContexts: Readonly<Record<string, string>> = { "=": "(?:", "![^": "(?:^|[", "![": "(?:^|[^" };

/** Tells whether an expression may match a text, whose characters are given, too. */
type Test = (text: string, codes: Uint8Array) => boolean;

/** Tests by the expression's automaton, if it has one, which is read at the first call. */
function createTest(open: (() => Rows) | undefined): Test {
  if (open === undefined) return () => true;
  let rows: Rows | undefined;
  let table: Table | undefined;
  let left = maxCharactersByRows;
  return (text, codes) => {
    if (table === undefined) {
      rows ??= open();
      left -= text.length;
      if (left > 0) return acceptsByRows(rows, text);
      table = fillRows(rows);
    }
    return acceptsHalvesOfBytes(table, codes, 0, text.length);
  };
}

/** Writes the characters of a text; those beyond ASCII are one. */
function fill(codes: Uint8Array, text: string): void {
  for (let i = 0; i < text.length; i++) codes[i] = Math.min(text.charCodeAt(i), 128);
}

/** Whether `codes` has the literal, which is `bytes` from `start` to before `last`, at the place `at`. */
function stands(bytes: Uint8Array, start: number, last: number, codes: Uint8Array, at: number): boolean {
  for (let i = start; i < last; i++) {
    const wanted = bytes[i]!;
    const code = codes[at + i - start]!;
    if (code !== wanted && (code !== wanted + 32 || wanted < 0x41 || wanted > 0x5a)) return false;
  }
  return true;
}

/** The list of the letters at `at` in a text. */
export function listOf(text: string, at: number): number {
  let list = 0;
  for (let i = at; i < at + lettersSize; i++) list = nextList(list, text.charCodeAt(i));
  return list;
}

/** The list of the letters that end with one more. */
function nextList(list: number, code: number): number {
  return ((list << 5) | (code & 31)) & (listCount - 1);
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}
