/**
 * Reads the catalogue from the texts of its files and the npm package, checks it as a whole and joins it.
 * What is found wrong is reported together, each problem with file and line. Reading the files is the caller's work.
 */
import { z } from "zod";
import { escapeLiteral, PatternError } from "../pattern/parse.ts";
import { toRegExp } from "../pattern/print.ts";
import { isAnchoredAtBothEnds, isNullable, matchesAnchorsOnly, type Tree } from "../pattern/tree.ts";
import { type Catalogue, categories, type Entry, purposes, type Signature } from "./entry.ts";
import { parseSign } from "./parse-sign.ts";
import { repeatProblem } from "./repeats.ts";
import { join, type UpstreamEntry } from "./upstream.ts";
import { DataError, type Located, parseList, type TextFile } from "./yaml.ts";

/** Everything the catalogue is made of. */
export interface CatalogueSource {
  readonly version: string;
  /** `data/crawlers/*.yaml`. */
  readonly crawlers: readonly TextFile[];
  /** `data/signatures.yaml`. */
  readonly signatures: TextFile;
  /** `data/upstream.yaml`. */
  readonly corrections: TextFile;
  /** The list of the npm package crawler-user-agents. */
  readonly upstream: readonly UpstreamEntry[];
}

const text = z.string().trim().min(1);
const exception = text.superRefine((value, context) => {
  const problem = patternProblem(value, () => undefined);
  if (problem) context.addIssue(problem);
});
const pattern = text.superRefine((value, context) => {
  const problem = patternProblem(value, repeatProblem);
  if (problem) context.addIssue(problem);
});

function patternProblem(pattern: string, more: (tree: Tree) => string | undefined): string | undefined {
  try {
    const tree = parseSign(pattern);
    // An end of the string is found in every string, unless both are asked for.
    if (isNullable(tree) || (matchesAnchorsOnly(tree) && !isAnchoredAtBothEnds(tree)))
      return "the pattern matches where nothing stands, so it would match everything";
    return more(tree);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}

const entrySchema = z.strictObject({
  name: text,
  pattern: pattern.optional(),
  operator: text.optional(),
  category: z.enum(categories),
  purposes: z.array(z.enum(purposes)).default([]),
  url: z.url({ protocol: /^https?$/ }).optional(),
  examples: z.array(z.string().min(1)).min(1, "at least one real user agent is needed"),
});

const signatureSchema = z.strictObject({
  name: text,
  pattern,
  category: z.enum(categories).default("other"),
  except: z.array(z.strictObject({ pattern: exception, why: text })).default([]),
  examples: z.array(z.string().min(1)).default([]),
  people: z.array(z.string().min(1)).default([]),
});

const correctionSchema = z.strictObject({
  pattern: text,
  drop: z.literal(true).optional(),
  use: pattern.optional(),
  name: text.optional(),
  operator: text.optional(),
  category: z.enum(categories).optional(),
  purposes: z.array(z.enum(purposes)).optional(),
  why: text,
});
export type Correction = z.infer<typeof correctionSchema>;

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
      name: value.name,
      pattern: value.pattern ?? escapeLiteral(value.name),
      ...(value.operator === undefined ? {} : { operator: value.operator }),
      category: value.category,
      purposes: value.purposes,
      ...(value.url === undefined ? {} : { url: value.url }),
      examples: value.examples,
      instances: [],
      source: where,
    })),
  );
  const signatures: Signature[] = read(source.signatures, signatureSchema).map(({ value, source: where }) => ({
    ...value,
    source: where,
  }));
  const corrections = read(source.corrections, correctionSchema);
  problems.push(...repeatedNames(own), ...own.flatMap(unmatchedExamples), ...signatures.flatMap(unmatchedExamples));
  // Where part of the data could not be read, what is said about its relations would mislead.
  if (problems.length > 0) throw new DataError(problems);
  const entries = join(own, source.upstream, corrections, problems);
  if (problems.length > 0) throw new DataError(problems);
  return { version: source.version, entries, signatures };
}

function repeatedNames(entries: readonly Entry[]): string[] {
  const seen = new Map<string, Entry>();
  const problems: string[] = [];
  for (const entry of entries) {
    const key = entry.name.toLowerCase();
    const other = seen.get(key);
    if (other) problems.push(`${entry.source}: the name ${entry.name} is taken by ${other.source}`);
    else seen.set(key, entry);
  }
  return problems;
}

/** An example that its own pattern does not match says that one of the two is wrong. */
function unmatchedExamples(item: Entry | Signature): string[] {
  const expression = toRegExp(parseSign(item.pattern));
  return item.examples
    .filter((example) => !expression.test(example))
    .map(
      (example) => `${item.source}: the pattern of ${item.name} does not match its example ${JSON.stringify(example)}`,
    );
}
