/** Reads a YAML file of the catalogue against a schema; every error names file and line. */
import { isMap, isNode, isScalar, isSeq, type Node } from "yaml";
import type { z } from "zod";
import { finish } from "../../pattern/finish.ts";
import { RowComposer } from "./compose-rows.ts";
import { DataError, firstOf } from "./data-error.ts";
import { toProblems } from "./issues.ts";
import { JsonReader } from "./read-json.ts";
import type { ReadText } from "./read-text.ts";

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

/** Reads a YAML file; throws DataError with the position of invalid YAML. */
export function parseYaml(file: TextFile): YamlFile {
  return finish(parseYamlInParts(file));
}

/** The same in parts, each of which takes a few milliseconds. */
export function* parseYamlInParts(file: TextFile): Generator<undefined, YamlFile> {
  const json = new JsonReader(file.text);
  const { value, faults, lineOf, offsetOf } = (yield* json.read()) ? json : yield* composeYaml(file.text);
  const at = (offset: number): string => `${file.path}:${lineOf(offset)}`;
  if (faults.length === 0) return { value, at: (path) => at(offsetOf(path)) };
  const sorted = faults.toSorted((a, b) => a.offset - b.offset);
  throw new DataError(firstOf(sorted.map(({ offset, message }) => `${at(offset)}: ${message}`)));
}

function* composeYaml(text: string): Generator<undefined, ReadText> {
  const composer = new RowComposer(text);
  const document = yield* composer.compose();
  yield;
  return {
    value: document?.toJS(),
    faults: composer.faults,
    lineOf: composer.lineOf,
    offsetOf: (path) => offsetOf(path, document?.contents ?? null, composer),
  };
}

/** Where the key or item at a path begins, or its innermost existing parent. */
function offsetOf(path: readonly PropertyKey[], contents: Node | null, composer: RowComposer): number {
  let node: unknown = contents;
  let offset = 0;
  for (const step of path) {
    if (!isNode(node)) break;
    const around = composer.withNodes(node);
    const pair = isMap(around) ? around.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
    node = isSeq(around) ? around.items[Number(step)] : pair?.value;
    const begin = pair?.key ?? node;
    if (isNode(begin) && begin.range) offset = begin.range[0];
  }
  return offset;
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
