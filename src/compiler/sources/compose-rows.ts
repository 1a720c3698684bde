/**
 * Composes a YAML document while it is parsed: each complete row of a list is reduced to its plain value, so neither the time nor the memory
 * for the nodes of the whole document is needed at once.
 */
import {
  Composer,
  CST,
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type Range,
  Scalar,
  visit,
  type YAMLSeq,
} from "yaml";
import { type Fault, maxFaults, maxLength, maxOpen, maxRows, tooDeep, tooLong, tooManyRows } from "./read-text.ts";

/** So many tokens take a millisecond or two. */
const partTokens = 100;

/** Tokens, and lists of tokens, that are composed at once: it takes 10 ms. */
const maxComposed = 40_000;
/** Tokens without a row that is complete; as many as a list in brackets can have. */
const maxTokens = 2 * maxLength;
const tooMuch = 'this is too much that is not in rows of a list; begin each row with "- " in a line of its own';

/** With aliases, a short text expands to any size. */
const refused: Readonly<Record<string, string>> = { "&": "anchors", "*": "aliases", "!": "tags" };

/** Composes the document of a text, in which a row may be a scalar with a plain value. */
export class RowComposer {
  readonly faults: Fault[] = [];
  readonly #text: string;
  readonly #lines = new LineCounter();
  #version: "1.1" | "1.2" = "1.2";
  /** By the token of a list: the rows that have been taken out of it. */
  readonly #taken = new Map<CST.Token, Scalar[]>();
  #rows = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lines.addNewLine(0);
  }

  readonly lineOf = (offset: number): number => this.#lines.linePos(offset).line;

  /** The document, in parts; undefined if `faults` has why the rest of the text was not read. */
  *compose(): Generator<undefined, Document.Parsed | undefined> {
    const parser = new Parser(this.#lines.addNewLine);
    const found: CST.Token[] = [];
    let tokens = 0;
    let takenAt = 0;
    let before = "";
    let isOver = false;
    for (const lexeme of new Lexer().lex(this.#text)) {
      const begin = parser.offset;
      const isText = before === CST.SCALAR;
      before = lexeme;
      if ((isText || /^["']/.test(lexeme)) && lexeme.length > maxLength) return this.#note(begin, tooLong);
      for (const token of parser.next(lexeme)) {
        found.push(token);
        isOver ||= token.type === "document";
      }
      if (isOver && parser.stack[0]?.type === "document") {
        this.#note(begin, "a second document begins here");
        break;
      }
      const problem = problemOf(parser, isText ? "" : lexeme);
      if (problem !== undefined) return this.#note(begin, problem);
      if (!isText && /^%YAML[ \t]+1\.1\b/.test(lexeme)) this.#version = "1.1";
      if (++tokens % partTokens > 0) continue;
      const rows = this.#rows;
      for (const token of parser.stack) if (token.type === "block-seq") this.#takeRows(token);
      if (this.#rows > rows) takenAt = tokens;
      if (tokens - takenAt > maxTokens) return this.#note(begin, tooMuch);
      if (this.faults.length > maxFaults) return undefined;
      if (this.#rows > maxRows) return this.#note(begin, tooManyRows);
      yield;
    }
    found.push(...parser.end());
    yield;
    return this.#composeAll(found, this.#text.length);
  }

  /** The node with the nodes inside it. A row has none, so its text is composed again. */
  withNodes(node: Node): Node {
    if (!(node instanceof Row)) return node;
    const [begin, end] = node.range!;
    const indent = this.#lines.linePos(begin).col - 1;
    const parser = new Parser();
    parser.offset = begin - indent;
    const document = this.#composeAll([...parser.parse(" ".repeat(indent) + this.#text.slice(begin, end))]);
    return document?.contents ?? node;
  }

  /** Takes the complete rows out of a list that is being parsed. */
  #takeRows(list: CST.BlockSequence): void {
    // A comment that follows may belong to the last two.
    const items = list.items.splice(0, list.items.length - 2);
    if (items.length === 0) return;
    const document = this.#composeAll([
      { type: "document", offset: list.offset, start: [], value: { ...list, items } },
    ]);
    if (document === undefined) return;
    // A text in quotes takes tens of bytes a character, because it was put together character by character; its copy does not.
    const values = structuredClone(document.toJS()) as readonly unknown[];
    const rows = (document.contents as YAMLSeq<Node>).items.map((node, index) => new Row(values[index], node.range!));
    const taken = this.#taken.get(list) ?? [];
    for (const row of rows) taken.push(row);
    this.#rows += rows.length;
    this.#taken.set(list, taken);
  }

  #composeAll(tokens: readonly CST.Token[], endOffset?: number): Document.Parsed | undefined {
    if (areTooMany(tokens)) return this.#note(tokens[0]!.offset, tooMuch);
    // The composer's own check for duplicate keys is quadratic: it compares every key with all keys before it.
    const options = { prettyErrors: false, uniqueKeys: false, keepSourceTokens: true, version: this.#version };
    const [document] = [...new Composer(options).compose(tokens, endOffset !== undefined, endOffset)];
    for (const { pos, message } of document?.errors ?? []) this.#note(pos[0], message);
    if (document !== undefined) this.#complete(document);
    return document;
  }

  /** Puts the rows back that have been taken out, and notes what the composer does not check. */
  #complete(document: Document.Parsed): void {
    const lists: YAMLSeq[] = [];
    visit(document, {
      Map: (_, { items }) => {
        const seen = new Set<unknown>();
        for (const { key } of items) {
          if (!isScalar(key)) continue;
          if (seen.has(key.value)) this.#note(key.range![0], `duplicate member ${JSON.stringify(key.value)}`);
          seen.add(key.value);
        }
      },
      Seq: (_, list) => void lists.push(list),
    });
    for (const list of lists) {
      list.items = [...(this.#taken.get(list.srcToken!) ?? []), ...list.items];
      this.#taken.delete(list.srcToken!);
    }
  }

  #note(offset: number, message: string): undefined {
    this.faults.push({ offset, message });
  }
}

/** Why the rest of a text is not read after a token. */
function problemOf({ stack, offset }: Parser, lexeme: string): string | undefined {
  // The time that the parser and the composer take grows with the square of the depth and more.
  if (stack.length > maxOpen) return tooDeep;
  const flow = stack.find((token) => token.type === "flow-collection" && token.end.length === 0);
  if (flow !== undefined && offset - flow.offset > maxLength)
    return `a list or an object in brackets may have at most ${maxLength.toLocaleString("en")} characters; write one row a line, each beginning with "- ", or JSON`;
  const [mark = ""] = lexeme;
  const what = refused[mark];
  return (
    what && `${what} are not supported: write the value itself, or put quotes around a text that begins with ${mark}`
  );
}

/** Whether tokens have more tokens inside them than are composed at once. */
function areTooMany(tokens: readonly object[]): boolean {
  const inside: object[] = [tokens];
  for (let count = 0; inside.length > 0; count++) {
    const token = inside.pop()!;
    const values: readonly unknown[] = Array.isArray(token) ? token : Object.values(token);
    if (count + values.length > maxComposed) return true;
    for (const value of values) if (typeof value === "object" && value !== null) inside.push(value);
  }
  return false;
}

/** A row, reduced to its plain value. */
class Row extends Scalar {
  constructor(value: unknown, range: Range) {
    super(value);
    this.range = range;
  }
}
