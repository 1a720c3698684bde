/** The compiler's only entry point: takes a loaded and checked catalogue, returns a compiled one. Does not need the YAML reader. */
import type { CompiledCatalogue, ItemFacts, RuleFacts } from "../detect/compiled-catalogue.ts";
import { addFacts } from "../detect/facts.ts";
import { toBytesText } from "../detect/text.ts";
import { flavors } from "../pattern/flavors.ts";
import { parseDataPattern } from "../pattern/parse.ts";
import { print } from "../pattern/print.ts";
import { encodeTable } from "./automaton/encode-table.ts";
import { compile } from "./compile.ts";
import type { Catalogue, Item, Rule } from "./entry.ts";
import { familiarTo } from "./familiar.ts";
import { toNameIndex } from "./name-index.ts";

/** Facts that are copied into the compiled catalogue. No pattern depends on them. */
export type CatalogueFacts = Pick<CompiledCatalogue, "wellKnown" | "verification">;

const noFacts: CatalogueFacts = { wellKnown: [], verification: { proofs: [], ranges: {} } };

/**
 * Compiles a catalogue; takes seconds. Throws DataError for patterns and exceptions that cannot be compiled. Calls `pause` between steps,
 * when most of the memory of the previous step can be freed.
 *
 * @example
 * const detector = createDetector(compileCatalogue(loadCatalogue(source)));
 * detector.check("Googlebot/2.1").name; // "Googlebot"
 */
export function compileCatalogue(
  catalogue: Catalogue,
  facts: CatalogueFacts = noFacts,
  pause: () => void = () => {},
): CompiledCatalogue {
  const compiled = compile(catalogue, pause);
  const { alternatives, tree, items, itemTrees, namesOnly } = compiled;
  const { portable: _, ...others } = flavors;
  const strings = examplesOf(catalogue);
  const deciding = {
    unanchored: toBytesText(encodeTable(compiled.unanchored, strings)),
    anchored: compiled.anchored.map((dfa) => toBytesText(encodeTable(dfa, strings))),
    familiar: print(familiarTo(catalogue.browsers, compiled)),
  };
  pause();
  return {
    ...facts,
    version: catalogue.version,
    entries: catalogue.entries.length,
    expression: print(tree),
    spellings: Object.fromEntries(Object.entries(others).map(([name, flavor]) => [name, print(tree, flavor)])),
    alternatives: alternatives.map((alternative) => print(alternative)),
    attribution: itemTrees.map((itemTree) => print(itemTree)),
    deciding,
    nameIndex: toNameIndex(items, itemTrees, strings),
    items: items.map(toFacts),
    rules: items.flatMap((item) => (item.kind === "rule" ? toRuleFacts(item) : [])),
    namesOnly,
    exemptions: catalogue.exemptions,
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
