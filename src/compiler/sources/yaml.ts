/** Reads a YAML file of the catalogue against a schema; every error names file and line. */
import {
  Composer,
  type Document,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
  YAMLParseError,
} from "yaml";
import type { z } from "zod";
import { finish } from "../../pattern/finish.ts";
import { DataError, firstOf, type Problem } from "./data-error.ts";
import { toProblems } from "./issues.ts";

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export interface Located<T> {
  readonly value: T;
  /** `file:line`. */
  readonly source: string;
}

/** A parsed YAML file: its plain values and their positions. */
export interface YamlFile {
  readonly value: unknown;
  /** `file:line` of the key or item at a path, or of its innermost existing parent. */
  at(path: readonly PropertyKey[]): string;
}

/** So many tokens take a millisecond or two. */
const partTokens = 1000;

/** Reads a YAML file; throws DataError with the position of invalid YAML. */
export function parseYaml(file: TextFile): YamlFile {
  return finish(parseYamlInParts(file));
}

/** The same in parts; the longest makes nodes of all tokens, a fifth of the work. */
export function* parseYamlInParts(file: TextFile): Generator<undefined, YamlFile> {
  const lines = new LineCounter();
  const document = yield* unlessTooDeep(file, toDocument(file.text, lines));
  // The parser reports an overflow of the stack as if it were an error in the text.
  if (document.errors.some(({ message }) => /call stack|stack overflow/i.test(message))) throw tooDeep(file);
  const at = (offset: number): string => `${file.path}:${lines.linePos(offset).line}`;
  const problems: Problem[] = document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`);
  yield;
  if (problems.length === 0)
    for (const { offset, problem } of yield* unlessTooDeep(file, problemsIn(document)))
      problems.push(() => `${at(offset)}: ${problem}`);
  if (problems.length > 0) throw new DataError(firstOf(problems));
  return {
    value: toValue(file, document),
    at(path) {
      for (let length = path.length; length > 0; length--) {
        const around = document.getIn(path.slice(0, length - 1), true);
        const key =
          isMap(around) && around.items.find(({ key }) => isScalar(key) && key.value === path[length - 1])?.key;
        const node = key || document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return at(node.range[0]);
      }
      return `${file.path}:1`;
    },
  };
}

/** What `parseDocument` of the package does. */
function* toDocument(text: string, lines: LineCounter): Generator<undefined, Document.Parsed> {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  // The composer's own check for duplicate keys is quadratic: it compares every key with all keys before it.
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false });
  const found = [];
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    found.push(...parser.next(token));
    if (++tokens % partTokens === 0) yield;
  }
  found.push(...parser.end());
  yield;
  const [document, another] = composer.compose(found, true, text.length);
  if (another)
    document!.errors.push(
      new YAMLParseError([another.range[0], another.range[1]], "MULTIPLE_DOCS", "a second document begins here"),
    );
  return document!;
}

/** Keys that a mapping has more than once, and aliases of a node that contains them. */
function* problemsIn(
  document: Document.Parsed,
): Generator<undefined, readonly { readonly problem: string; readonly offset: number }[]> {
  const problems: { problem: string; offset: number }[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          problems.push({ problem: `duplicate member ${JSON.stringify(key.value)}`, offset: key.range?.[0] ?? 0 });
        seen.add(key.value);
      }
    },
    Alias(_, alias, path) {
      const node = alias.resolve(document);
      if (node !== undefined && path.includes(node))
        problems.push({
          problem: `the alias *${alias.source} is inside of what it repeats`,
          offset: alias.range?.[0] ?? 0,
        });
    },
  });
  yield;
  return problems;
}

/** The result of reading a file; throws DataError if it is nested so deeply that the stack is not enough. */
function* unlessTooDeep<Result>(file: TextFile, reading: Generator<undefined, Result>): Generator<undefined, Result> {
  try {
    return yield* reading;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw tooDeep(file);
  }
}

function tooDeep({ path }: TextFile): DataError {
  return new DataError([`${path}:1: the file is nested too deeply`]);
}

/** Its values with aliases expanded; throws DataError if they would expand to too much. */
function toValue({ path }: TextFile, document: { toJS(): unknown }): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new DataError([`${path}:1: ${(error as Error).message}`]);
  }
}

/** Parses a YAML list; each item is checked by `schema`. Throws DataError with all problems of the file. */
export function parseList<T>(file: TextFile, schema: z.ZodType<T>): Located<T>[] {
  const { value: items, at } = parseYaml(file);
  if (items === null) return [];
  if (!Array.isArray(items))
    throw new DataError([`${file.path}:1: the file must be a list, each item beginning with "- "`]);
  const problems: string[] = [];
  const found: Located<T>[] = [];
  items.forEach((item, index) => {
    const parsed = schema.safeParse(item, { reportInput: true });
    if (parsed.success) found.push({ value: parsed.data, source: at([index]) });
    else
      for (const write of toProblems(parsed.error.issues, { schema, at: (path) => at([index, ...path]) }))
        problems.push(write());
  });
  if (problems.length > 0) throw new DataError(problems);
  return found;
}
