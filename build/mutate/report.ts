/** Says what became of changes: how many were noticed in each file, and which ones were not. */
import type { Outcome } from "./run-tests.ts";

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The part of Stryker's JSON report that is read. */
export interface Mutants {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly id: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** A table of files and the list of changes that nobody noticed, in Markdown. */
export function toReport({ files }: Mutants, outcomes: readonly Outcome[]): string {
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const rows: string[] = [];
  const unnoticed: string[] = [];
  let tried = 0;
  let noticed = 0;
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const ended = mutants.filter(({ id }) => outcomeOf.has(id));
    const survivors = ended.filter(({ id }) => outcomeOf.get(id)?.isNoticed === false);
    tried += ended.length;
    noticed += ended.length - survivors.length;
    rows.push(`| ${file} | ${mutants.length} | ${ended.length} | ${ended.length - survivors.length} |`);
    unnoticed.push(...survivors.map((mutant) => describe(file, source, mutant)));
  }
  const share = ((100 * noticed) / tried).toFixed(1);
  return [
    "| file | changes | tried | noticed |",
    "|---|--:|--:|--:|",
    ...rows,
    `| **all** | | ${tried} | ${noticed} (${share} %) |`,
    "",
    ...unnoticed,
  ].join("\n");
}

function describe(file: string, source: string, { mutatorName, replacement = "", location }: Mutant): string {
  const { start, end } = location;
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? "").slice(0, end.column - 1);
  lines[0] = (lines[0] ?? "").slice(start.column - 1);
  return `- ${file}:${start.line} ${mutatorName}: \`${shorten(lines.join(" "))}\` -> \`${shorten(replacement)}\``;
}

function shorten(code: string): string {
  const joined = code.replace(/\s+/g, " ");
  return joined.length > 100 ? `${joined.slice(0, 60)} … ${joined.slice(-37)}` : joined;
}
