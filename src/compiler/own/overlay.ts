/** Compiles own entries into an overlay of a compiled catalogue: a few milliseconds, whatever the size of the catalogue. */
import type { CompiledCatalogue, ItemFacts } from "../../detect/compiled-catalogue.ts";
import { extendCatalogue } from "../../detect/overlay/extend-catalogue.ts";
import { parsePattern } from "../../pattern/parse.ts";
import type { Tree } from "../../pattern/tree.ts";
import { type Decision, decideFew } from "../automaton/decide.ts";
import { TooManyStates } from "../automaton/dfa.ts";
import { encodeTable } from "../automaton/encode-table.ts";
import { ignoresEncoding } from "../automaton/encodings.ts";
import { countingNonAscii } from "../compile.ts";
import { toFacts } from "../compile-loaded.ts";
import type { Entry, Item } from "../entry.ts";
import { isFamiliarTo } from "../familiar.ts";
import { toNameIndex } from "../name-index.ts";
import { DataError } from "../sources/data-error.ts";
import { arrange } from "../trees/factor.ts";
import { type OwnCatalogue, tooManyTogether, treeOf } from "./merge-own.ts";

/** A thousand names take half of it, for which some seconds are needed. */
const mostStates = 40_000;

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
  const { anchored, unanchored } = build(entries, trees);
  if (![...anchored, unanchored].every(ignoresEncoding)) throw new DataError(countingNonAscii(items, trees));
  const { familiar } = changed.deciding;
  // What most people's strings begin with; an own entry that may match in it needs all of it read.
  const isFamiliar =
    familiar !== undefined && isFamiliarTo(parsePattern(familiar, { printed: true }), { anchored, unanchored });
  return extendCatalogue(changed, {
    version,
    additions: items.map((item, index) => ({
      facts: { ...toFacts(item), name: item.name },
      tree: trees[index]!,
      examples: item.examples,
    })),
    nameIndex: toNameIndex(
      items,
      trees,
      items.flatMap(({ examples }) => examples),
    ),
    deciding: {
      unanchored: encodeTable(unanchored),
      anchored: anchored.map((dfa) => encodeTable(dfa)),
      ...(isFamiliar && { familiar }),
    },
    arrange,
  });
}

/** The automata; throws DataError where they would have too many states. */
function build(entries: readonly Entry[], trees: readonly Tree[]): Decision {
  try {
    return decideFew(trees, mostStates);
  } catch (error) {
    if (!(error instanceof TooManyStates)) throw error;
    throw new DataError([tooManyTogether(entries[0]!)]);
  }
}

function change(item: ItemFacts, changes: OwnCatalogue["changes"]): ItemFacts {
  const facts = item.name === undefined ? undefined : changes.get(item.name.toLowerCase());
  if (facts === undefined) return item;
  const { operatorDerived, ...kept } = item;
  const isDerived = facts.operator === undefined && operatorDerived !== undefined;
  return { ...kept, ...(isDerived && { operatorDerived }), ...facts };
}
