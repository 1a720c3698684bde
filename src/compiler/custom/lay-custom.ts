/**
 * Lays custom catalogues over a compiled one: entries, changes and verification as they are, removals, people and rules as an overlay.
 * Pure: the caller reads files. In parts, each of which takes a few milliseconds.
 */
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { createDetection, createDetector } from "../../detect/create-detector.ts";
import { withCustom } from "../../detect/custom-test.ts";
import { createDecider } from "../../detect/decider.ts";
import { browserString } from "../../detect/forms.ts";
import { entryOf } from "../../detect/matched-entry.ts";
import { NameIndex, portableOf } from "../../detect/name-index.ts";
import { withOverlay } from "../../detect/overlaid.ts";
import type { Detector } from "../../detect/verdict.ts";
import { withMembers } from "../../detect/with-members.ts";
import { DataError, firstOf } from "../sources/data-error.ts";
import type { TextFile } from "../sources/yaml.ts";
import { withEntries } from "./custom-entries.ts";
import { withVerification } from "./custom-verification.ts";
import { type CustomCatalogue, mergeCustom } from "./merge-custom.ts";
import { type Modification, type OverlayOptions, overlay } from "./overlay.ts";
import { exceptionsFor, findMissedForms } from "./people.ts";
import { type OwnCounts, type ReadOwn, readOwn } from "./read-custom.ts";

export interface LayOptions extends OverlayOptions {
  /** The detector of the catalogue below. */
  readonly base: Detector;
  /** Appended to its version. */
  readonly versionSuffix: string;
}

/** The catalogue below with the custom ones, and what their authors should know, a sentence each. */
export interface Laid {
  readonly detector: Detector;
  readonly warnings: readonly string[];
}

/** PCRE2 compiles about 31,500 characters in its default 64 KiB. */
const maxExpressionLength = 31_000;

/** People's strings; the versions are arbitrary. */
const browsers = [
  browserString,
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
];

/**
 * Lays custom catalogues, later ones over earlier ones; throws a DataError with the first problems, each with file and line: what is wrong
 * in them, examples that get another name, and people's strings that are still detected as crawlers.
 */
export function* layCustom(files: readonly TextFile[], options: LayOptions): Generator<undefined, Laid> {
  const { base, versionSuffix } = options;
  const own = yield* mergeCustom(yield* readAll(files), base.catalogue);
  yield;
  const modification = yield* toModification(own, base);
  if (modification !== undefined && leavesNothing(modification, base.catalogue))
    throw new DataError([
      `${files[0]!.path}: nothing is left of the catalogue below; leave at least one entry or rule`,
    ]);
  const below = modification ? yield* overlay(base.catalogue, modification, options) : base.catalogue;
  yield;
  const laid = yield* withEntries(below, own, `${base.version}${versionSuffix}`);
  const names = new Set(laid.items.map(({ name }) => name));
  const catalogue = withMembers(laid, {
    wellKnown: laid.wellKnown.filter((name) => names.has(name)),
    verification: withVerification(laid.verification, own.verification),
  });
  yield;
  const detector = createOverlaid(catalogue, base);
  yield;
  yield* checkPlaces(own, detector);
  return { detector, warnings: yield* warningsOf(own, base, detector) };
}

function* readAll(files: readonly TextFile[]) {
  const problems: string[] = [];
  const counts: OwnCounts = new Map();
  const read: ReadOwn[] = [];
  for (const file of files) {
    try {
      read.push(yield* readOwn(file, counts));
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      problems.push(...error.problems);
    }
    yield;
  }
  if (problems.length > 0) throw new DataError(problems);
  return read;
}

/** What has to be changed in the catalogue below; undefined if it is used unchanged. An entry of the same name is replaced. */
function* toModification(own: CustomCatalogue, base: Detector): Generator<undefined, Modification | undefined> {
  const ownNames = new Set(own.entries.map(({ name }) => name.toLowerCase()));
  const replaced = base.catalogue.items.flatMap(({ name }) =>
    name !== undefined && ownNames.has(name.toLowerCase()) ? name : [],
  );
  const removed = new Set([...own.removed.map(({ value }) => value), ...replaced]);
  const rulesOff = new Set(own.rulesOff.map(({ value }) => value));
  const except = yield* exceptionsFor(own.people, base.catalogue, ({ kind, name }) =>
    kind === "entry" ? removed.has(name) : rulesOff.has(name),
  );
  if (removed.size + rulesOff.size + except.length === 0) return undefined;
  return { remove: [...removed], rulesOff: [...rulesOff], except };
}

/** Whether no item is left that decides without a user's own entries: no expression says that nothing matches. */
function leavesNothing(
  { remove, rulesOff }: Modification,
  { items, rules, ownEntries = 0 }: CompiledCatalogue,
): boolean {
  if (rulesOff.length < rules.length) return false;
  const removed = new Set(remove);
  return items.slice(ownEntries).every(({ name }) => name === undefined || removed.has(name));
}

/** A detector of a catalogue that was laid over the one of `base`, whose automata decide in both. */
function createOverlaid(catalogue: CompiledCatalogue, base: Detector): Detector {
  const automata = base.catalogue.own === undefined ? base : createDecider(base.catalogue);
  const decider = catalogue.overlay === undefined ? automata : withOverlay(automata, catalogue.overlay);
  const { isCrawler, isCrawlerBytes } = withCustom(decider, catalogue.own);
  return createDetector(catalogue, createDetection(catalogue, { isCrawler, isCrawlerBytes }));
}

/** Throws DataError for own examples that get another name, and for people's strings that are detected as crawlers. */
function* checkPlaces({ entries, people }: CustomCatalogue, { check }: Detector): Generator<undefined, void> {
  const problems: string[] = [];
  const fileOf = ({ source }: { readonly source: string }): string => source.replace(/:\d+$/, "");
  const files = new Map(entries.map((entry) => [entry.name, fileOf(entry)]));
  for (const entry of entries) {
    for (const example of entry.examples) {
      const winner = entryOf(check(example)) ?? "";
      // An entry of another file takes precedence on purpose.
      if (winner === entry.name || (files.get(winner) ?? fileOf(entry)) !== fileOf(entry)) continue;
      problems.push(
        `${entry.source}: the example ${JSON.stringify(example)} of ${entry.name} is attributed to ${winner}`,
      );
    }
    yield;
  }
  for (const { value, source } of people)
    for (const example of value.examples) {
      const { crawler, name, pattern } = check(example);
      if (crawler)
        problems.push(
          `${source}: people: ${JSON.stringify(example)} is still detected as a crawler: ${name ?? "a rule"} (${pattern})`,
        );
      yield;
    }
  if (problems.length > 0) throw new DataError(firstOf(problems));
}

/**
 * Whether the expression may have become too long. Writing it takes a tenth of a second, and no alternative is longer in it than alone. A
 * rule with more exceptions replaces its alternative.
 */
function mayBeTooLong(before: Detector, after: Detector): boolean {
  const had = new Set(before.alternatives);
  const has = new Set(after.alternatives);
  const { nameIndex, items } = before.catalogue;
  const ofRules = new Set(nameIndex.filter((_, i) => items[i]!.name === undefined).map(portableOf));
  const added = [...has].filter((alternative) => !had.has(alternative));
  const gone = [...had].filter((alternative) => !has.has(alternative) && ofRules.has(alternative));
  return before.expression.length + added.join("|").length + 1 - gone.join("|").length > maxExpressionLength;
}

function* warningsOf(own: CustomCatalogue, before: Detector, after: Detector): Generator<undefined, string[]> {
  const warnings = yield* findMissedForms(own.people, after.catalogue);
  if (mayBeTooLong(before, after) && after.expression.length > maxExpressionLength)
    warnings.push(
      `The expression has ${after.expression.length} characters; programs that use it as one pattern of PCRE2, such as grep -P, PHP, nginx and Apache, accept about ${maxExpressionLength.toLocaleString("en")}. Shorten your patterns, or match several crawlers with one.`,
    );
  for (const { name, pattern, source } of own.entries) {
    const matched = browsers.find((text) => entryOf(after.check(text)) === name && !before.isCrawler(text));
    if (matched) warnings.push(`${source}: the pattern ${pattern} of ${name} matches people's browsers: ${matched}`);
    yield;
  }
  if (own.removed.length === 0) return warnings;
  const findDeciding = createDecidingFinder(after.catalogue);
  const stringsOf = new Map<string, string[]>();
  for (const text of before.strings()) {
    const name = entryOf(before.check(text));
    if (name !== undefined) stringsOf.set(name, [...(stringsOf.get(name) ?? []), text]);
    yield;
  }
  for (const { value, source } of own.removed) {
    yield;
    const left = (stringsOf.get(value) ?? []).filter(after.isCrawler);
    if (left.length === 0) continue;
    const { name, pattern } = after.check(left[0]);
    const by = findDeciding(left[0]!) ?? name ?? pattern;
    warnings.push(
      `${source}: remove: ${left.length} known strings of ${value} are still detected as crawlers by ${by}, such as ${JSON.stringify(left[0])}`,
    );
  }
  return warnings;
}

/** Makes the function that names what decides about a string: the first in the order of precedence. */
function createDecidingFinder(catalogue: CompiledCatalogue): (text: string) => string | undefined {
  const { items, rules, nameIndex, alternatives } = catalogue;
  const deciding = alternatives.toSorted((a, b) => a - b);
  const index = new NameIndex(deciding.map((item) => nameIndex[item]!));
  const unnamed = [...items.keys()].filter((item) => items[item]!.name === undefined);
  return (text) => {
    const item = deciding[index.find(text)?.item ?? -1];
    if (item === undefined) return undefined;
    const { name } = items[item]!;
    return name === undefined ? `the rule ${rules[unnamed.indexOf(item)]!.name}` : `the entry ${name}`;
  };
}
