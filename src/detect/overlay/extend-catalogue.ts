/** A compiled catalogue with entries that precede it: all its texts and facts. What decides is in its first overlay. */
import { flavors } from "../../pattern/flavors.ts";
import { print } from "../../pattern/print.ts";
import { alt, type Tree } from "../../pattern/tree.ts";
import type { CompiledCatalogue, DecidingTables, ItemFacts } from "../compiled-catalogue.ts";

/** An entry as it is added. */
export interface Addition {
  readonly facts: ItemFacts & { readonly name: string };
  /** Its pattern. */
  readonly tree: Tree;
  readonly examples: readonly string[];
}

export interface Extension {
  readonly version: string;
  /** In the order of precedence; at least one. */
  readonly additions: readonly Addition[];
  readonly nameIndex: readonly string[];
  readonly deciding?: DecidingTables;
  /** Puts the alternatives in an order that engines like; default: as they are. */
  readonly arrange?: (tree: Tree) => Tree;
}

/** The catalogue with the additions; an entry of the same name is replaced, whatever the case of its letters. */
export function extendCatalogue(base: CompiledCatalogue, extension: Extension): CompiledCatalogue {
  const { version, additions, nameIndex, deciding, arrange = (tree) => tree } = extension;
  const names = new Set(additions.map(({ facts }) => facts.name.toLowerCase()));
  const isReplaced = ({ name }: ItemFacts): boolean => name !== undefined && names.has(name.toLowerCase());
  const replaced = base.items.flatMap((item, index) => (isReplaced(item) ? index : []));
  const kept = base.items.flatMap((item, index) => (isReplaced(item) ? [] : index));
  const placeOf = new Map(kept.map((index, place) => [index, additions.length + place]));
  const tree = arrange(alt(...additions.map((addition) => addition.tree)));
  const attribution = additions.map((addition) => print(addition.tree));
  return {
    ...base,
    version,
    entries: base.entries + additions.length - replaced.length,
    expression: `${print(tree)}|${base.expression}`,
    spellings: Object.fromEntries(
      Object.entries(base.spellings).map(([name, spelling]) => [name, `${print(tree, flavors[name])}|${spelling}`]),
    ),
    alternatives: [...new Set([...attribution, ...base.alternatives])],
    attribution: [...attribution, ...kept.map((index) => base.attribution[index]!)],
    items: [...additions.map(({ facts }) => facts), ...kept.map((index) => base.items[index]!)],
    namesOnly: base.namesOnly.flatMap((index) => placeOf.get(index) ?? []),
    strings: [...new Set([...additions.flatMap(({ examples }) => examples), ...base.strings])],
    overlays: [
      { entries: additions.length, replaced, nameIndex, ...(deciding && { deciding }) },
      ...(base.overlays ?? []),
    ],
  };
}
