/**
 * Composes a YAML document while it is parsed: each complete row of a list is reduced to its plain value, so neither the time nor the memory
 * for the nodes of the whole document is needed at once.
 */
import {
  Composer,
  type CST,
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

/** So many tokens take a millisecond or two. */
const partTokens = 100;

/** What is open at once while a file is parsed: lists, objects, and what is inside them. The deepest valid file has seven. */
const maxOpen = 40;

/** What begins with this affects other rows: an anchor, an alias, a tag or a directive. */
const affectsOthers = /^[&*!%]/;

/** What is wrong in a document, and where. */
interface Fault {
  readonly offset: number;
  readonly message: string;
}

/** Composes the document of a text, in which a row may be a scalar with a plain value. */
export class RowComposer {
  readonly faults: Fault[] = [];
  readonly #text: string;
  readonly #lines = new LineCounter();
  /** By the token of a list: the rows that have been taken out of it. */
  readonly #taken = new Map<CST.Token, Scalar[]>();

  constructor(text: string) {
    this.#text = text;
    this.#lines.addNewLine(0);
  }

  lineOf(offset: number): number {
    return this.#lines.linePos(offset).line;
  }

  /** The document, in parts; undefined if `faults` has why the rest of the text was not read. */
  *compose(): Generator<undefined, Document.Parsed | undefined> {
    const parser = new Parser(this.#lines.addNewLine);
    const found: CST.Token[] = [];
    let tokens = 0;
    let isTaking = true;
    for (const lexeme of new Lexer().lex(this.#text)) {
      if (affectsOthers.test(lexeme)) isTaking = false;
      const begin = parser.offset;
      found.push(...parser.next(lexeme));
      // The time that the parser and the composer take grows with the square of the depth and more.
      if (parser.stack.length > maxOpen) {
        this.faults.push({ offset: begin, message: "the file is nested too deeply" });
        return undefined;
      }
      if (++tokens % partTokens > 0) continue;
      if (isTaking) for (const token of parser.stack) if (token.type === "block-seq") this.#takeRows(token);
      yield;
    }
    found.push(...parser.end());
    yield;
    const [document, another] = this.#composeAll(found, this.#text.length);
    if (another) this.faults.push({ offset: another.range[0], message: "a second document begins here" });
    return document;
  }

  /** The node with the nodes inside it. A row has none, so its text is composed again. */
  withNodes(node: Node): Node {
    if (!(node instanceof Row)) return node;
    const [begin, end] = node.range!;
    const indent = this.#lines.linePos(begin).col - 1;
    const parser = new Parser();
    parser.offset = begin - indent;
    const [document] = this.#composeAll(parser.parse(" ".repeat(indent) + this.#text.slice(begin, end)));
    return document?.contents ?? node;
  }

  /** Takes the complete rows out of a list that is being parsed. */
  #takeRows(list: CST.BlockSequence): void {
    // A comment that follows may belong to the last two.
    const items = list.items.splice(0, list.items.length - 2);
    if (items.length === 0) return;
    const [document] = this.#composeAll([
      { type: "document", offset: list.offset, start: [], value: { ...list, items } },
    ]);
    // A text in quotes takes tens of bytes a character, because it was put together character by character; its copy does not.
    const values = structuredClone(document!.toJS()) as readonly unknown[];
    const rows = (document!.contents as YAMLSeq<Node>).items.map((node, index) => new Row(values[index], node.range!));
    const taken = this.#taken.get(list) ?? [];
    taken.push(...rows);
    this.#taken.set(list, taken);
  }

  #composeAll(tokens: Iterable<CST.Token>, endOffset?: number): Document.Parsed[] {
    // The composer's own check for duplicate keys is quadratic: it compares every key with all keys before it.
    const composer = new Composer({ prettyErrors: false, uniqueKeys: false, keepSourceTokens: true });
    const documents = [...composer.compose(tokens, endOffset !== undefined, endOffset)] as Document.Parsed[];
    for (const document of documents) {
      for (const { pos, message } of document.errors) this.faults.push({ offset: pos[0], message });
      this.#complete(document);
    }
    return documents;
  }

  /** Puts the rows back that have been taken out, and notes what the composer does not check. */
  #complete(document: Document.Parsed): void {
    const lists: YAMLSeq[] = [];
    visit(document, {
      Map: (_, { items }) => {
        const seen = new Set<unknown>();
        for (const { key } of items) {
          if (!isScalar(key)) continue;
          if (seen.has(key.value)) this.#note(key, `duplicate member ${JSON.stringify(key.value)}`);
          seen.add(key.value);
        }
      },
      Seq: (_, list) => void lists.push(list),
      Alias: (_, alias, path) => {
        const node = alias.resolve(document);
        if (node !== undefined && path.includes(node))
          this.#note(alias, `the alias *${alias.source} is inside of what it repeats`);
      },
    });
    for (const list of lists) {
      list.items.unshift(...(this.#taken.get(list.srcToken!) ?? []));
      this.#taken.delete(list.srcToken!);
    }
  }

  #note(node: Node, message: string): void {
    this.faults.push({ offset: node.range?.[0] ?? 0, message });
  }
}

/** A row, reduced to its plain value. */
class Row extends Scalar {
  constructor(value: unknown, range: Range) {
    super(value);
    this.range = range;
  }
}
