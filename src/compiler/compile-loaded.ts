/** Compiles a catalogue that has been loaded and checked. Needs no reader of YAML. */
import type { CompiledCatalogue, ItemFacts } from "../detect/compiled-catalogue.ts";
import { addFacts } from "../detect/facts.ts";
import { nonAscii } from "../pattern/charset.ts";
import { flavors } from "../pattern/flavors.ts";
import { toNfa } from "../pattern/nfa.ts";
import { parseDataPattern } from "../pattern/parse-data-pattern.ts";
import { print } from "../pattern/print.ts";
import { fixedLength, isAnchoredAtStart, type Tree, withoutLeftContext } from "../pattern/tree.ts";
import { determinize } from "./automaton/dfa.ts";
import { encodeTable } from "./automaton/encode-table.ts";
import { minimize } from "./automaton/minimize.ts";
import { compile, isAnchoredRule } from "./compile.ts";
import type { Catalogue, Item } from "./entry.ts";
import { familiarTo } from "./familiar.ts";

/** Facts that are copied into the compiled catalogue. No pattern depends on them. */
export type CatalogueFacts = Pick<CompiledCatalogue, "wellKnown" | "verification">;

const noFacts: CatalogueFacts = { wellKnown: [], verification: { proofs: [], ranges: {} } };

/** As compileCatalogue, of a catalogue that has been loaded already. */
export function compileLoaded(
  catalogue: Catalogue,
  browsers: readonly string[],
  facts: CatalogueFacts = noFacts,
  pause: () => void = () => {},
): CompiledCatalogue {
  const compiled = compile(catalogue, pause);
  const { alternatives, tree, items, namingTrees, namesOnly } = compiled;
  const { portable: _, ...others } = flavors;
  const strings = examplesOf(catalogue);
  const deciding = {
    unanchored: encodeTable(compiled.unanchored, strings),
    anchored: compiled.anchored.map((dfa) => encodeTable(dfa, strings)),
    familiar: print(familiarTo(browsers, compiled)),
  };
  pause();
  const identification = encodeTable(compiled.identification);
  pause();
  return {
    ...facts,
    version: catalogue.version,
    entries: catalogue.entries.length,
    expression: print(tree),
    spellings: Object.fromEntries(Object.entries(others).map(([name, flavor]) => [name, print(tree, flavor)])),
    alternatives: alternatives.map((alternative) => print(alternative)),
    attribution: namingTrees.map((namingTree) => print(namingTree)),
    deciding,
    identification,
    items: items.map(toFacts),
    rules: items.flatMap((item) => (item.kind === "rule" ? { name: item.name, except: item.except } : [])),
    namesOnly,
    strings,
  };
}

function examplesOf({ entries, rules }: Catalogue): string[] {
  return [
    ...new Set([
      ...entries.flatMap(({ examples, instances }) => [...examples, ...instances]),
      ...rules.flatMap(({ examples }) => examples),
    ]),
  ];
}

/** Whether no match is a prefix of a longer match at the same place. Then a match ends where it is first found. */
function endsOnce(tree: Tree): boolean {
  const { next, classOf, classCount, stateCount, output, endOutput } = minimize(determinize(toNfa([tree])));
  const characters = new Set(classOf.subarray(0, nonAscii + 1));
  const following = (state: number): number[] => [...characters].map((c) => next[state * classCount + c]!);
  const isOver = (state: number): boolean =>
    output[state] === 0 && endOutput[state] === 0 && following(state).every((other) => other === state);
  return Array.from({ length: stateCount }, (_, state) => state)
    .filter((state) => output[state] !== 0)
    .every((state) => following(state).every(isOver));
}

/** The facts about an item at run time. */
export function toFacts(item: Item): ItemFacts {
  const { category, pattern } = item;
  const tree = parseDataPattern(pattern, { shorthands: true });
  if (item.kind === "rule")
    return {
      category,
      pattern,
      match: print(tree),
      ...(isAnchoredRule(item) ? { anchored: true } : {}),
      ...(item.part === undefined ? {} : { part: print(parseDataPattern(item.part)) }),
    };
  const facts = { name: item.name, category };
  addFacts(item, facts);
  const match = withoutLeftContext(tree);
  const length = fixedLength(match);
  return {
    ...facts,
    ...(item.robots === undefined ? {} : { robots: item.robots }),
    ...(item.robotsRules === undefined ? {} : { robotsRules: item.robotsRules }),
    pattern,
    ...(length === pattern.length
      ? {}
      : { match: length ?? (isAnchoredAtStart(match) && endsOnce(match) ? "^" : print(match)) }),
  };
}
