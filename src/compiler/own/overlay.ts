/** Compiles own entries into an overlay of a compiled catalogue: a few milliseconds, whatever the size of the catalogue. */
import type { CompiledCatalogue, ItemFacts } from "../../detect/compiled-catalogue.ts";
import { extendCatalogue } from "../../detect/overlay/extend-catalogue.ts";
import { decideFew } from "../automaton/decide.ts";
import { determinize } from "../automaton/dfa.ts";
import { encodeTable } from "../automaton/encode-table.ts";
import { ignoresEncoding } from "../automaton/encodings.ts";
import { minimize } from "../automaton/minimize.ts";
import { toNfa } from "../automaton/nfa.ts";
import { countingNonAscii } from "../compile.ts";
import { toFacts } from "../compile-loaded.ts";
import type { Item } from "../entry.ts";
import { DataError } from "../sources/data-error.ts";
import { arrange } from "../trees/factor.ts";
import { type OwnCatalogue, treeOf } from "./merge-own.ts";

/** The catalogue with the own entries before all others, and with the changed facts. */
export function overlay(
  base: CompiledCatalogue,
  { entries, changes }: Pick<OwnCatalogue, "entries" | "changes">,
  version: string,
): CompiledCatalogue {
  const changed = { ...base, version, items: base.items.map((item) => change(item, changes)) };
  if (entries.length === 0) return changed;
  const items = entries.map((entry): Item & { readonly kind: "entry" } => ({ kind: "entry", ...entry }));
  const trees = entries.map(treeOf);
  const { anchored, unanchored } = decideFew(trees);
  if (![...anchored, unanchored].every(ignoresEncoding)) throw new DataError(countingNonAscii(items, trees));
  return extendCatalogue(changed, {
    version,
    additions: items.map((item, index) => ({
      facts: { ...toFacts(item), name: item.name },
      tree: trees[index]!,
      examples: item.examples,
    })),
    tables: {
      deciding: { unanchored: encodeTable(unanchored), anchored: anchored.map((dfa) => encodeTable(dfa)) },
      identification: encodeTable(minimize(determinize(toNfa([...trees])))),
    },
    arrange,
  });
}

function change(item: ItemFacts, changes: OwnCatalogue["changes"]): ItemFacts {
  const facts = item.name === undefined ? undefined : changes.get(item.name.toLowerCase());
  if (facts === undefined) return item;
  const { operatorDerived, ...kept } = item;
  const isDerived = facts.operator === undefined && operatorDerived !== undefined;
  return { ...kept, ...(isDerived && { operatorDerived }), ...facts };
}
