/** The compiler's only entry point: takes a loaded and checked catalogue, returns a compiled one. Does not need the YAML reader. */
import type { CompiledCatalogue, DecidingTables, ItemFacts, RuleFacts } from "../detect/compiled-catalogue.ts";
import { addFacts } from "../detect/facts.ts";
import { toBytesText } from "../detect/text.ts";
import { toExpression } from "../pattern/factor.ts";
import { finish } from "../pattern/finish.ts";
import { parseDataPattern } from "../pattern/parse.ts";
import { print } from "../pattern/print.ts";
import type { Tree } from "../pattern/tree.ts";
import { groupBy } from "../text/group-by.ts";
import { decide } from "./automaton/decide.ts";
import { encodeTable } from "./automaton/encode-table.ts";
import { compile, isAnchoredRule } from "./compile.ts";
import type { Catalogue, Item, Rule } from "./entry.ts";
import { familiarTo } from "./familiar.ts";
import { toNameIndex } from "./name-index.ts";

/** Facts that are copied into the compiled catalogue. No pattern depends on them. */
export type CatalogueFacts = Pick<CompiledCatalogue, "wellKnown" | "verification">;

const noFacts: CatalogueFacts = { wellKnown: [], verification: { proofs: [], ranges: {} } };

/**
 * Compiles a catalogue; takes seconds. Throws DataError for patterns and exceptions that cannot be compiled.
 *
 * @example
 * const detector = createDetector(compileCatalogue(loadCatalogue(source)));
 * detector.check("Googlebot/2.1").name; // "Googlebot"
 */
export function compileCatalogue(catalogue: Catalogue, more: CatalogueFacts = noFacts): CompiledCatalogue {
  const { alternatives, items, itemTrees } = compile(catalogue);
  const { strings, owners } = toStrings(catalogue, items);
  const facts = items.map(toFacts);
  return {
    ...more,
    version: catalogue.version,
    entries: catalogue.entries.length,
    expression: toExpression(alternatives.map((index) => itemTrees[index]!)),
    alternatives,
    deciding: finish(toTables({ items: facts, alternatives, strings }, itemTrees, catalogue.browsers)),
    nameIndex: finish(toNameIndex(items, itemTrees, strings)),
    items: facts,
    rules: items.flatMap((item) => (item.kind === "rule" ? toRuleFacts(item) : [])),
    strings,
    owners,
  };
}

type Deciding = Pick<CompiledCatalogue, "items" | "alternatives" | "strings">;

/**
 * The automata of the items numbered `alternatives`, whose trees are among `trees`, as tables; `browsers` are strings of common browsers.
 * Entries and unanchored rules, rules for some shapes, and rules for whole strings are groups: together, their automata have fewer states
 * than a single one.
 */
export function* toTables(
  { items, alternatives, strings }: Deciding,
  trees: readonly Tree[],
  browsers: readonly string[],
): Generator<undefined, DecidingTables> {
  const groups = groupBy(alternatives, (index) => {
    const item = items[index]!;
    if (item.name !== undefined || !isAnchoredRule(item)) return "others";
    return item.part === undefined ? "whole" : "shapes";
  });
  const decision = yield* decide(...[...groups.values()].map((indices) => indices.map((index) => trees[index]!)));
  return {
    unanchored: toBytesText(encodeTable(decision.unanchored, strings)),
    anchored: decision.anchored.map((dfa) => toBytesText(encodeTable(dfa, strings))),
    familiar: print(familiarTo(browsers, decision)),
  };
}

/** The strings of entries and rules in the order of the catalogue, each once, and whose they are. */
function toStrings({ entries, rules }: Catalogue, items: readonly Item[]) {
  const itemOf = new Map(items.map(({ kind, name }, index) => [`${kind} ${name}`, index]));
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  };
  const owners = [
    ...entries.map(({ name, examples, instances }) => [
      itemOf.get(`entry ${name}`)!,
      ...[...examples, ...instances].map(placeOf),
    ]),
    ...rules.map(({ name, examples }) => [itemOf.get(`rule ${name}`)!, ...examples.map(placeOf)]),
  ];
  return { strings: [...places.keys()], owners };
}

function toRuleFacts({ name, except }: Rule): RuleFacts {
  return { name, except: except.map((one) => ({ ...one, expression: print(parseDataPattern(one.pattern)) })) };
}

/** The facts about an item at run time. */
export function toFacts(item: Item): ItemFacts {
  const { category, pattern } = item;
  if (item.kind === "rule")
    return {
      category,
      pattern,
      ...(item.except.length === 0 ? {} : { match: print(parseDataPattern(pattern)) }),
      ...(item.part === undefined ? {} : { part: print(parseDataPattern(item.part)) }),
    };
  const facts = { name: item.name, category };
  addFacts(item, facts);
  return {
    ...facts,
    ...(item.robots === undefined ? {} : { robots: item.robots }),
    ...(item.robotsRules === undefined ? {} : { robotsRules: item.robotsRules }),
    pattern,
  };
}
