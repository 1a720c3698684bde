/**
 * Reads a file that is JSON, in parts: `JSON.parse` reads it in a single step, names no lines, and accepts duplicate members. What is not
 * JSON is left to the reader of YAML.
 */
import { LineCounter } from "yaml";
import {
  type Fault,
  maxFaults,
  maxLength,
  maxMembers,
  maxOpen,
  maxRows,
  type ReadText,
  tooDeep,
  tooLong,
  tooManyRows,
} from "./read-text.ts";

/** So many tokens take less than a millisecond. */
const partTokens = 1_000;

/** Spaces, marks, scalars, and the quote that begins a text. */
const tokens = /[ \t\r]+|\n|["[\]{},:]|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/** What is expected instead of a token, by what may come next. */
const expected = {
  value: "a value is expected here",
  name: "the name of a member in quotes is expected here",
  colon: "a colon is expected here",
  next: "a comma or the end of the list or object is expected here",
  end: "nothing may follow the end of the list or object",
};

/** A list or an object whose end has not been read. */
interface Open {
  readonly isList: boolean;
  /** By name or index. */
  readonly values: Map<PropertyKey, unknown>;
  readonly offsets: Map<PropertyKey, number>;
  /** Of the value that comes next. */
  key: PropertyKey;
}

/** Reads a text. */
export class JsonReader implements ReadText {
  readonly faults: Fault[] = [];
  value: unknown;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #open: Open[] = [];
  /** By list or object: where its members begin. */
  readonly #offsets = new Map<unknown, ReadonlyMap<PropertyKey, number>>();
  #next: keyof typeof expected = "value";
  #rows = 0;
  /** Whether the rest is not JSON in the right order, or too much. */
  #isRefused = false;

  constructor(text: string) {
    this.#text = text;
    this.#lines.addNewLine(0);
  }

  readonly lineOf = (offset: number): number => this.#lines.linePos(offset).line;

  /** Where the member or item at a path begins, or its innermost existing parent. */
  readonly offsetOf = (path: readonly PropertyKey[]): number => {
    let value = this.value;
    let offset = 0;
    for (const step of path) {
      const found = this.#offsets.get(value)?.get(step);
      if (found === undefined) break;
      offset = found;
      value = (value as Record<PropertyKey, unknown>)[step];
    }
    return offset;
  };

  /** Reads the text in parts; returns false if something in it is not JSON. Tokens of JSON in a wrong order are faults. */
  *read(): Generator<undefined, boolean> {
    const text = this.#text;
    if (!/^\uFEFF?[ \t\r\n]*[[{]/.test(text)) return false;
    // A byte order mark is no token.
    for (let offset = text.startsWith("\uFEFF") ? 1 : 0, count = 1; offset < text.length; count++) {
      tokens.lastIndex = offset;
      const [mark = ""] = tokens.exec(text) ?? [];
      const token = mark === '"' ? quotedAt(text, offset) : mark;
      if (token === "") return false;
      if (token === "\n") this.#lines.addNewLine(offset + 1);
      else if (!this.#isRefused && !/^[ \t\r]/.test(token)) this.#take(token, offset);
      offset += token.length;
      if (count % partTokens === 0) yield;
    }
    if (this.#next !== "end" && !this.#isRefused) this.#refuse(text.length, expected[this.#next]);
    return true;
  }

  #take(token: string, offset: number): void {
    const around = this.#open.at(-1);
    const isOpening = token === "[" || token === "{";
    const isEnd = token === "]" || token === "}";
    const isDone = this.#next === "next" || (around?.values.size === 0 && this.#next === beginOf(around));
    if (token.length > maxLength) this.#refuse(offset, tooLong);
    else if (isEnd && isDone && around?.isList === (token === "]")) this.#close(around);
    else if (token === "," && this.#next === "next") this.#next = beginOf(around!);
    else if (token === ":" && this.#next === "colon") this.#next = "value";
    else if (token.startsWith('"') && this.#next === "name") this.#takeName(token, offset);
    else if (this.#next !== "value" || isEnd || token === "," || token === ":")
      this.#refuse(offset, expected[this.#next]);
    else {
      if (around?.isList) this.#takeIndex(around, offset);
      if (isOpening) this.#takeOpening(token === "[", offset);
      else this.#add(JSON.parse(token));
    }
  }

  #takeName(token: string, offset: number): void {
    const around = this.#open.at(-1)!;
    const name = JSON.parse(token) as string;
    if (around.offsets.has(name)) this.faults.push({ offset, message: `duplicate member ${JSON.stringify(name)}` });
    around.key = name;
    around.offsets.set(name, offset);
    this.#next = "colon";
    if (around.offsets.size > maxMembers)
      this.#refuse(offset, `an object may have at most ${maxMembers.toLocaleString("en")} members`);
    if (this.faults.length > maxFaults) this.#isRefused = true;
  }

  #takeIndex(list: Open, offset: number): void {
    list.key = list.values.size;
    list.offsets.set(list.key, offset);
    if (++this.#rows > maxRows) this.#refuse(offset, tooManyRows);
  }

  #takeOpening(isList: boolean, offset: number): void {
    const opened = { isList, values: new Map(), offsets: new Map(), key: "" };
    if (this.#open.push(opened) > maxOpen) this.#refuse(offset, tooDeep);
    this.#next = beginOf(opened);
  }

  #close({ isList, values, offsets }: Open): void {
    this.#open.pop();
    const value = isList ? [...values.values()] : Object.fromEntries(values);
    this.#offsets.set(value, offsets);
    this.#add(value);
  }

  #add(value: unknown): void {
    const around = this.#open.at(-1);
    if (around === undefined) this.value = value;
    else around.values.set(around.key, value);
    this.#next = around === undefined ? "end" : "next";
  }

  #refuse(offset: number, message: string): void {
    this.faults.push({ offset, message });
    this.#isRefused = true;
  }
}

/** What comes first in a list or an object. */
const beginOf = ({ isList }: Open): "value" | "name" => (isList ? "value" : "name");

/** The text in quotes at an offset, with its quotes; "" if it is not JSON. One that is too long is not checked. */
function quotedAt(text: string, offset: number): string {
  let end = text.indexOf('"', offset + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  const token = text.slice(offset, end + 1);
  if (token.length > maxLength || !/[\\\p{Cc}]/u.test(token)) return token;
  try {
    JSON.parse(token);
    return token;
  } catch {
    return "";
  }
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before--;
  return (at - before) % 2 === 1;
}
