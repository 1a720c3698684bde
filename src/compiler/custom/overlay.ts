/**
 * Lays removals, rules that are off, and exceptions over a compiled catalogue, as if it had been compiled from the changed data: the same
 * entries decide, and the expression is the same. Needs neither its sources nor automata.
 */
import { once } from "../../cache/once.ts";
import type { CompiledCatalogue, DecidingTables, ItemFacts, RuleFacts } from "../../detect/compiled-catalogue.ts";
import { expressionOf, portableOf } from "../../detect/name-index.ts";
import { withMembers } from "../../detect/with-members.ts";
import { printExactMatch } from "../../pattern/exact-match.ts";
import { toExpression, toExpressionInParts } from "../../pattern/factor.ts";
import { finish } from "../../pattern/finish.ts";
import { parseDataPattern, parsePattern } from "../../pattern/parse.ts";
import { print, toRegExp } from "../../pattern/print.ts";
import type { Tree } from "../../pattern/tree.ts";
import { toTables } from "../compile-catalogue.ts";
import { type Candidate, decidingEntries } from "../prune.ts";
import { ruleTree } from "../trees/exceptions.ts";
import type { AddedException } from "./people.ts";

/** The changes. */
export interface Modification {
  /** Names of entries that are left out. */
  readonly remove: readonly string[];
  /** Names of rules that are left out. */
  readonly rulesOff: readonly string[];
  readonly except: readonly AddedException[];
}

/** So many items take a millisecond or two. */
const partItems = 50;

/** An item of the catalogue below, with its changes. */
interface Row {
  /** Its number in the catalogue below. */
  readonly number: number;
  readonly facts: ItemFacts;
  /** Its line in the index of names, which has its expression. */
  readonly line: string;
  readonly rule?: RuleFacts | undefined;
  /** New exceptions. */
  readonly words: readonly string[];
}

export interface OverlayOptions {
  /** Strings of common browsers, which automata that are built later decide fastest. */
  readonly browsers: readonly string[];
  /** Writes the expression at once, in parts; otherwise it is written when it is read, which takes a tenth of a second. */
  readonly needsExpression: boolean;
}

/**
 * The catalogue with the changes, and what they change in its verdicts. Its automata are built, which takes seconds, when its `deciding` is
 * read. In parts, each of which takes a few milliseconds.
 */
export function* overlay(
  below: CompiledCatalogue,
  modification: Modification,
  { browsers, needsExpression }: OverlayOptions,
): Generator<undefined, CompiledCatalogue> {
  const all = rowsOf(below);
  yield;
  const [removed, rulesOff] = [new Set(modification.remove), new Set(modification.rulesOff)];
  const isGone = ({ facts, rule }: Row): boolean => (rule ? rulesOff.has(rule.name) : removed.has(facts.name!));
  const rows: Row[] = [];
  for (const row of all) {
    if (isGone(row)) continue;
    rows.push(row.rule ? withExceptions(row, modification.except) : row);
    if (row.rule) yield;
  }
  const { alternatives, ownEntries = 0, deciding } = below;
  const wasDeciding = new Set(alternatives);
  const gone = all.slice(ownEntries).filter((row) => wasDeciding.has(row.number) && isGone(row));
  const words = rows.flatMap((row) => row.words.map((word) => parseDataPattern(word)));
  const placeOf = new Map(rows.map(({ number }, place) => [number, place]));
  const rules = rows.filter(({ rule }) => rule !== undefined);
  const before = alternatives.filter((number) => number >= ownEntries && !all[number]!.rule && placeOf.has(number));
  const treeOf = memoized((number) => toTree(all[number]!));
  const entries = yield* decidingEntries({
    candidates: yield* candidatesIn({ rows, gone, words, below }),
    settled: before,
    treeOf,
  });
  yield;
  const own = rows.filter(({ number }) => number < ownEntries);
  const kept = [...rules, ...entries.map((number) => rows[placeOf.get(number)!]!)];
  const added = entries.filter((number) => !wasDeciding.has(number)).map((number) => all[number]!);
  const lost = [...gone.map(({ line }) => line), ...words.map(printExactMatch)];
  yield;
  const known = ownersOf(below, placeOf);
  yield;
  const changed = {
    items: rows.map(({ facts }) => facts),
    nameIndex: rows.map(({ line }) => line),
    rules: rules.flatMap(({ rule = [] }) => rule),
    alternatives: [...own, ...kept].map(({ number }) => placeOf.get(number)!),
    entries: below.entries - all.filter((row) => row.rule === undefined && isGone(row)).length,
    ...known,
  };
  const isSame = lost.length + added.length === 0;
  const ownExpression = own.length === 0 ? undefined : toExpression(own.map(toTree));
  const written = needsExpression ? yield* writeExpression(kept) : undefined;
  const expression = once(() => written ?? finish(writeExpression(kept)));
  const tables = once(() =>
    isSame ? deciding : finish(decidingTables({ ...changed, ownEntries: own.length }, browsers)),
  );
  return withMembers(withoutOwn(below), {
    ...changed,
    ...(ownExpression !== undefined && { own: ownExpression, ownEntries: own.length }),
    get expression() {
      return ownExpression === undefined ? expression() : `${ownExpression}|${expression()}`;
    },
    get deciding() {
      return tables();
    },
    overlay: { below: deciding, lost, kept: kept.map(({ line }) => line), added: added.map(({ line }) => line) },
  });
}

type Expressions = Pick<CompiledCatalogue, "items" | "nameIndex" | "alternatives" | "strings" | "ownEntries">;

/** The automata of a catalogue, built from its expressions; its own entries have none. */
export function* decidingTables(
  { items, nameIndex, alternatives, strings, ownEntries = 0 }: Expressions,
  browsers: readonly string[],
): Generator<undefined, DecidingTables> {
  const trees = nameIndex.map((line) => toTree({ line }));
  const deciding = alternatives.filter((number) => number >= ownEntries);
  return yield* toTables({ items, alternatives: deciding, strings }, trees, browsers);
}

function rowsOf({ items, rules, nameIndex }: CompiledCatalogue): Row[] {
  let unnamed = 0;
  return items.map((facts, number) => ({
    number,
    facts,
    line: nameIndex[number]!,
    rule: facts.name === undefined ? rules[unnamed++]! : undefined,
    words: [],
  }));
}

/** The row of a rule with the words that are added to it. */
function withExceptions(row: Row, added: readonly AddedException[]): Row {
  const { facts, rule } = row;
  const except = added
    .filter((one) => one.rule === rule!.name)
    .flatMap(({ words, why }) =>
      words.map((pattern) => ({ pattern, why, expression: print(parseDataPattern(pattern)) })),
    );
  if (except.length === 0) return row;
  const all = [...rule!.except, ...except];
  return {
    ...row,
    facts: { ...facts, match: print(parseDataPattern(facts.pattern)) },
    line: printExactMatch(ruleTree(facts.pattern, all)),
    rule: { ...rule!, except: all },
    words: except.map((exception) => exception.pattern),
  };
}

interface Changes {
  readonly below: CompiledCatalogue;
  /** The items that are left. */
  readonly rows: readonly Row[];
  /** What decided, and is removed. */
  readonly gone: readonly Row[];
  /** New exceptions. */
  readonly words: readonly Tree[];
}

/**
 * The entries that did not decide, and may have to decide now: rules no longer find all of their strings, or an entry that covered them is
 * removed.
 */
function* candidatesIn({ below, rows, gone, words }: Changes): Generator<undefined, Candidate[]> {
  const { ownEntries = 0 } = below;
  const candidates: Candidate[] = [];
  if (gone.length + words.length === 0) return candidates;
  const wasDeciding = new Set(below.alternatives);
  const lostToRules = [...gone.flatMap((row) => (row.rule ? toTest(row) : [])), ...words.map(toRegExp)];
  const covering = gone.flatMap((row) => (row.rule ? [] : toTest(row)));
  yield;
  const rules = rows.flatMap((row) => (row.rule ? toTest(row) : []));
  const isLost = (text: string): boolean => lostToRules.some((one) => one.test(text));
  const isFound = (text: string): boolean => rules.some((one) => one.test(text));
  // Rules find what they found before, unless it contains something that they have lost.
  const isStillFound = (text: string): boolean => !isLost(text) || isFound(text);
  const stringsOf = new Map(
    below.owners.map(([number, ...strings]) => [number!, strings.map((at) => below.strings[at]!)]),
  );
  yield;
  for (const { number, facts, rule, line } of rows) {
    if (rule !== undefined || number < ownEntries || wasDeciding.has(number)) continue;
    const known = stringsOf.get(number) ?? [];
    // What covered an entry matches the strings of it that it matches itself.
    const mayBeUncovered =
      covering.length > 0 && (known.length === 0 || known.some((text) => covering.some((one) => one.test(text))));
    if (mayBeUncovered || lostToRules.length > 0)
      candidates.push({
        index: number,
        name: facts.name!,
        category: facts.category,
        expression: toTest({ line }),
        known,
        isFound: mayBeUncovered ? isFound : isStillFound,
      });
    yield;
  }
  return candidates;
}

function* writeExpression(rows: readonly Row[]): Generator<undefined, string> {
  const trees: Tree[] = [];
  for (const row of rows) {
    trees.push(toTree(row));
    if (row.rule !== undefined || trees.length % partItems === 0) yield;
  }
  return yield* toExpressionInParts(trees);
}

/** The strings of the items that are left, and whose they are. */
function ownersOf({ strings, owners }: CompiledCatalogue, placeOf: ReadonlyMap<number, number>) {
  const places = new Map<number, number>();
  const left = owners.filter(([number]) => placeOf.has(number!));
  for (const [, ...known] of left) for (const at of known) if (!places.has(at)) places.set(at, places.size);
  return {
    strings: [...places.keys()].map((at) => strings[at]!),
    owners: left.map(([number, ...known]) => [placeOf.get(number!)!, ...known.map((at) => places.get(at)!)]),
  };
}

/** A catalogue without the facts about a user's own entries. */
function withoutOwn(catalogue: CompiledCatalogue): CompiledCatalogue {
  const { own: _, ownEntries: __, ...others } = Object.getOwnPropertyDescriptors(catalogue);
  return Object.defineProperties({}, others) as CompiledCatalogue;
}

/** Finds what an item finds. */
function toTest({ line }: Pick<Row, "line">): RegExp {
  // linear: consists of the catalogue's patterns
  return new RegExp(expressionOf(line));
}

/** Trees of printed expressions are those that were printed. */
function toTree({ line }: Pick<Row, "line">): Tree {
  return parsePattern(portableOf(line), { printed: true });
}

function memoized<Value>(make: (number: number) => Value): (number: number) => Value {
  const made: Value[] = [];
  return (number) => {
    made[number] ??= make(number);
    return made[number];
  };
}
