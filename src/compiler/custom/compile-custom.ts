/**
 * Applies custom catalogues on top of a compiled one. Entries, changes and verification take milliseconds; what changes the base catalogue
 * (removals, people, rules) is a modification, with which the caller must recompile it first. Pure: the caller reads files.
 */
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { createDetector } from "../../detect/create-detector.ts";
import { entryOf } from "../../detect/matched-entry.ts";
import { toNfa } from "../../pattern/nfa.ts";
import { parseDataPattern } from "../../pattern/parse.ts";
import { groupBy } from "../../text/group-by.ts";
import { createCover } from "../automaton/covers.ts";
import { toMinimalDfa } from "../automaton/minimize.ts";
import { DataError, firstOf } from "../sources/data-error.ts";
import type { TextFile } from "../sources/yaml.ts";
import { withEntries } from "./custom-entries.ts";
import { withVerification } from "./custom-verification.ts";
import { type CustomCatalogue, mergeCustom, treeOf } from "./merge-custom.ts";
import type { Modification } from "./modify.ts";
import { exceptionsFor, findMissedForms } from "./people.ts";
import { type OwnCounts, readOwn } from "./read-custom.ts";

/** Own catalogues that have been read and checked. */
export interface CustomPlan {
  /** What has to be changed in the base catalogue; undefined if it is used unchanged. */
  readonly modification: Modification | undefined;
  /**
   * The base catalogue with the own ones applied, and warnings. `below` is the base catalogue, already modified. Throws
   * DataError for examples that get another name, and for people's strings that are still detected as crawlers.
   */
  finish(
    below: CompiledCatalogue,
    versionSuffix: string,
  ): { readonly catalogue: CompiledCatalogue; readonly warnings: string[] };
}

/** Much longer expressions are too large for grep -P. */
const maxExpressionLength = 30_500;

/** People's strings; the versions are arbitrary. */
const browsers = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
];

/** Reads custom catalogues, later ones over earlier ones; throws a DataError with the first problems, each with file and line. */
export function planCustom(files: readonly TextFile[], base: CompiledCatalogue): CustomPlan {
  const problems: string[] = [];
  const counts: OwnCounts = new Map();
  const read = files.flatMap((file) => {
    try {
      return readOwn(file, counts);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new DataError(problems);
  const own = mergeCustom(read, base);
  const modification = toModification(own, base, problems);
  if (problems.length > 0) throw new DataError(firstOf(problems));
  return {
    modification,
    finish(below, versionSuffix) {
      const laid = withEntries(below, own, `${base.version}${versionSuffix}`);
      const names = new Set(laid.items.map(({ name }) => name));
      const catalogue = {
        ...laid,
        wellKnown: laid.wellKnown.filter((name) => names.has(name)),
        verification: withVerification(laid.verification, own.verification),
      };
      const wrong = misplaced(own, catalogue);
      if (wrong.length > 0) throw new DataError(firstOf(wrong));
      return { catalogue, warnings: warningsOf(own, base, catalogue) };
    },
  };
}

function toModification(own: CustomCatalogue, base: CompiledCatalogue, problems: string[]): Modification | undefined {
  const removed = new Set([...own.removed.map(({ value }) => value), ...uncoveredBy(own, base)]);
  const names = new Set([...removed, ...own.entries.map(({ name }) => name)].map((name) => name.toLowerCase()));
  const rulesOff = new Set(own.rulesOff.map(({ value }) => value));
  const except = exceptionsFor(
    own.people,
    base,
    ({ kind, name }) => (kind === "entry" ? names.has(name.toLowerCase()) : rulesOff.has(name)),
    problems,
  );
  if (removed.size + rulesOff.size + except.length === 0) return undefined;
  return { remove: [...removed], rulesOff: [...rulesOff], except };
}

/** Replaced entries that match strings which their replacements do not: those strings would keep the old names. */
function uncoveredBy({ entries }: CustomCatalogue, base: CompiledCatalogue): string[] {
  const own = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  return base.items.flatMap(({ name, pattern }) => {
    const entry = name === undefined ? undefined : own.get(name.toLowerCase());
    if (name === undefined || entry === undefined || entry.pattern === pattern) return [];
    const covers = createCover(toMinimalDfa(toNfa(treeOf(entry))));
    return covers(parseDataPattern(pattern, { shorthands: true })) ? [] : name;
  });
}

/** Own examples that get another name, and people's strings that are detected as crawlers. */
function misplaced({ entries, people }: CustomCatalogue, catalogue: CompiledCatalogue): string[] {
  const { check } = createDetector(catalogue);
  const fileOf = ({ source }: { readonly source: string }): string => source.replace(/:\d+$/, "");
  const files = new Map(entries.map((entry) => [entry.name, fileOf(entry)]));
  const examples = entries.flatMap((entry) =>
    entry.examples.flatMap((example) => {
      const winner = entryOf(check(example)) ?? "";
      // An entry of another file takes precedence on purpose.
      if (winner === entry.name || (files.get(winner) ?? fileOf(entry)) !== fileOf(entry)) return [];
      return `${entry.source}: the example ${JSON.stringify(example)} of ${entry.name} is attributed to ${winner}`;
    }),
  );
  const persons = people.flatMap(({ value, source }) =>
    value.examples.flatMap((example) => {
      const { crawler, name, pattern } = check(example);
      return crawler
        ? `${source}: people: ${JSON.stringify(example)} is still detected as a crawler: ${name ?? "a rule"} (${pattern})`
        : [];
    }),
  );
  return [...examples, ...persons];
}

function warningsOf(own: CustomCatalogue, base: CompiledCatalogue, catalogue: CompiledCatalogue): string[] {
  const warnings = findMissedForms(own.people, catalogue);
  const { length } = catalogue.expression;
  if (length > maxExpressionLength)
    warnings.push(
      `The expression has ${length} characters; grep -P takes about 31,000. Shorten your patterns, or match several crawlers with one.`,
    );
  const [before, after] = [createDetector(base), createDetector(catalogue)];
  for (const { name, pattern, source } of own.entries) {
    const matched = browsers.find((text) => entryOf(after.check(text)) === name && !before.isCrawler(text));
    if (matched) warnings.push(`${source}: the pattern ${pattern} of ${name} matches people's browsers: ${matched}`);
  }
  if (own.removed.length === 0) return warnings;
  const stringsOf = groupBy(base.strings, (text) => entryOf(before.check(text)));
  for (const { value, source } of own.removed) {
    const left = (stringsOf.get(value) ?? []).filter(after.isCrawler);
    if (left.length === 0) continue;
    const { name, pattern } = after.check(left[0]);
    const match = after.explain(left[0]).explanation.find(({ decides }) => decides);
    const by = match ? `the ${match.kind} ${match.name}` : (name ?? pattern);
    warnings.push(
      `${source}: remove: ${left.length} known strings of ${value} are still detected as crawlers by ${by}, such as ${JSON.stringify(left[0])}`,
    );
  }
  return warnings;
}
