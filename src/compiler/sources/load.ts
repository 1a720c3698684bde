/**
 * Reads the catalogue from the texts of its files and the npm package, checks it as a whole and joins it.
 * All problems are reported together, each with file and line. The caller reads the files.
 */
import type { z } from "zod";
import { escapeLiteral, parseDataPattern } from "../../pattern/parse.ts";
import { patternProblem } from "../../pattern/pattern-problem.ts";
import { toRegExp } from "../../pattern/print.ts";
import { isPlain, toPlain } from "../../text/plain-text.ts";
import type { Catalogue, Entry, Rule } from "../entry.ts";
import { DataError } from "./data-error.ts";
import { rulePattern } from "./rule-pattern.ts";
import {
  correctionSchema,
  entrySchema,
  houseSchema,
  type RuleFile,
  ruleSchema,
  type Shape,
  shapeSchema,
} from "./schemas.ts";
import { join, nameKey, type UpstreamEntry } from "./upstream.ts";
import { type Located, parseList, type TextFile } from "./yaml.ts";

/** Everything the catalogue is made of. */
export interface CatalogueSource {
  readonly version: string;
  /** `data/crawlers/*.yaml`. */
  readonly crawlers: readonly TextFile[];
  /** `data/rules.yaml`, and `data/shapes.yaml` that it refers to. */
  readonly rules: TextFile;
  readonly shapes: TextFile;
  /** `data/upstream.yaml`. */
  readonly corrections: TextFile;
  /** `data/host-operators.yaml`. */
  readonly hostOperators: TextFile;
  /** The list of the npm package crawler-user-agents. */
  readonly upstream: readonly UpstreamEntry[];
  /** Strings of common browsers. */
  readonly browsers: readonly string[];
}

/** Loads the catalogue; throws DataError naming every problem. */
export function loadCatalogue(source: CatalogueSource): Catalogue {
  const problems: string[] = [];
  const read = <T>(file: TextFile, schema: z.ZodType<T>): Located<T>[] => {
    try {
      return parseList(file, schema);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  };
  const own: Entry[] = source.crawlers.flatMap((file) =>
    read(file, entrySchema).map(({ value, source: where }) => ({
      ...value,
      pattern: value.pattern ?? escapeLiteral(value.name),
      instances: [],
      source: where,
    })),
  );
  const shapes = read(source.shapes, shapeSchema).map(({ value }) => value);
  const rules = read(source.rules, ruleSchema).flatMap((rule) => toRule(rule, shapes, problems));
  const corrections = read(source.corrections, correctionSchema);
  const hostOperators = read(source.hostOperators, houseSchema);
  problems.push(...repeatedNames(own), ...own.flatMap(unmatchedExamples), ...rules.flatMap(unmatchedExamples));
  // If part of the data could not be read, errors about references between its parts would be misleading.
  if (problems.length > 0) throw new DataError(problems);
  const entries = join(own, source.upstream, corrections, hostOperators, problems);
  problems.push(...entries.flatMap(unprintableFacts));
  if (problems.length > 0) throw new DataError(problems);
  return {
    version: source.version,
    entries,
    rules,
    browsers: source.browsers,
  };
}

/** The rule with its pattern; empty if the pattern is wrong, with the reason added to `problems`. */
function toRule({ value, source }: Located<RuleFile>, shapes: readonly Shape[], problems: string[]): Rule[] {
  const unknown = value.in?.find((name) => shapes.every((shape) => shape.name !== name));
  if (unknown !== undefined) {
    problems.push(`${source}: in: data/shapes.yaml has no shape named ${unknown}`);
    return [];
  }
  const search = rulePattern(value, shapes);
  const problem = patternProblem(search.pattern);
  if (problem !== undefined) {
    problems.push(`${source}: ${problem}`);
    return [];
  }
  const { name, category, examples, people } = value;
  const except = value.except.flatMap(({ words, why }) => words.map((word) => ({ pattern: word, why })));
  return [{ name, ...search, category, except, examples, people, source }];
}

function repeatedNames(entries: readonly Entry[]): string[] {
  const seen = new Map<string, Entry>();
  const problems: string[] = [];
  for (const entry of entries) {
    const key = nameKey(entry.name);
    const other = seen.get(key);
    if (other) problems.push(`${entry.source}: the name ${entry.name} is taken by ${other.source}`);
    else seen.set(key, entry);
  }
  return problems;
}

/** Texts of the package's entries that are not one line; schemas check all others. */
function unprintableFacts({ name, operator = "", maker = "", source }: Entry): string[] {
  return [name, operator, maker]
    .filter((text) => !isPlain(text))
    .map((text) => `${source}: "${toPlain(text)}" has an invisible character or a line break`);
}

/** Examples that their item's pattern does not match; one of the two must be wrong. */
export function unmatchedExamples(item: Entry | Rule): string[] {
  const expression = toRegExp(parseDataPattern(item.pattern));
  return item.examples
    .filter((example) => !expression.test(example))
    .map(
      (example) => `${item.source}: the pattern of ${item.name} does not match its example ${JSON.stringify(example)}`,
    );
}
