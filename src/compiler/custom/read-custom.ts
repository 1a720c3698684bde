/** Reads the file of a custom catalogue; every error has its line, and the member that was meant. */
import type { z } from "zod";
import { groupBy } from "../../text/group-by.ts";
import { DataError, firstOf } from "../sources/data-error.ts";
import { toProblems } from "../sources/issues.ts";
import { parseYamlInParts, type TextFile } from "../sources/yaml.ts";
import { type CustomFile, customSchema, rowSchemas } from "./custom-schema.ts";

/** Limits for all custom catalogues together, enforced before any expensive checks. */
const most = {
  crawlers: 1000,
  change: 1000,
  remove: 5000,
  people: 100,
  verification: 1000,
  "rules.off": 1000,
  "crawlers.examples": 10_000,
  "people.words": 200,
  "people.examples": 400,
};

/** So many rows take a millisecond or two. */
const partRows = 10;

/** What was counted in the files so far. */
export type OwnCounts = Map<string, number>;

/** A custom catalogue, and the positions of its parts. */
export interface ReadOwn {
  readonly value: CustomFile;
  /** `file:line`. */
  at(...path: PropertyKey[]): string;
}

/** Reads a custom catalogue, and adds to `counts`; throws DataError with the first problems of the file. In parts. */
export function* readOwn(file: TextFile, counts: OwnCounts): Generator<undefined, ReadOwn> {
  const { value: found, at } = yield* parseYamlInParts(file);
  yield;
  const value = found ?? {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new DataError([
      `${file.path}:1: a custom catalogue has the parts ${Object.keys(customSchema.shape).join(", ")}; entries go under "crawlers:"`,
    ]);
  for (const [part, limit] of Object.entries(most)) {
    const path = part.split(".");
    const sum = (counts.get(part) ?? 0) + countAt(value, path);
    counts.set(part, sum);
    if (sum > limit) {
      const [found, allowed] = [sum, limit].map((count) => count.toLocaleString("en"));
      throw new DataError([`${at(path)}: ${part}: custom catalogues have ${found}; at most ${allowed} are allowed`]);
    }
  }
  const { parsed, issues } = yield* parseRows(value as Record<string, unknown>);
  if (issues.length === 0) return { value: parsed, at: (...path) => at(path) };
  const rows = groupBy(issues, ({ path }) => path.slice(0, 2).join());
  const checked = { schema: customSchema, at, reasonAgainst };
  throw new DataError(firstOf([...rows.values()].flatMap((issues) => toProblems(issues, checked))));
}

/** Checks a custom catalogue row by row, in parts. */
function* parseRows(
  value: Readonly<Record<string, unknown>>,
): Generator<undefined, { readonly parsed: CustomFile; readonly issues: readonly z.core.$ZodIssue[] }> {
  const lists = Object.keys(rowSchemas).filter((part) => Array.isArray(value[part])) as (keyof typeof rowSchemas)[];
  const whole = customSchema.safeParse(
    { ...value, ...Object.fromEntries(lists.map((part) => [part, []])) },
    { reportInput: true },
  );
  const issues = [...(whole.error?.issues ?? [])];
  const rows: Record<string, unknown[]> = {};
  for (const part of lists) {
    rows[part] = [];
    for (const [index, row] of (value[part] as readonly unknown[]).entries()) {
      const parsed = rowSchemas[part].safeParse(row, { reportInput: true });
      rows[part].push(parsed.data);
      for (const issue of parsed.error?.issues ?? []) issues.push({ ...issue, path: [part, index, ...issue.path] });
      if (index % partRows === 0) yield;
    }
  }
  return { parsed: { ...whole.data, ...rows } as CustomFile, issues };
}

/** How many items the lists at a path have. */
function countAt(value: unknown, path: readonly string[]): number {
  const [step, ...rest] = path;
  if (step === undefined) return Array.isArray(value) ? value.length : 0;
  if (Array.isArray(value)) return value.reduce((sum: number, row) => sum + countAt(row, path), 0);
  return countAt((value as Record<string, unknown> | null | undefined)?.[step], rest);
}

function reasonAgainst([part]: readonly PropertyKey[], key: string): string | undefined {
  return part === "change" && (key === "pattern" || key === "examples")
    ? `change cannot set ${key}: an entry of the same name under "crawlers:" replaces the crawler`
    : undefined;
}
