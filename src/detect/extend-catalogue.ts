/** A compiled catalogue with entries that precede it: all its texts and facts, and the expression that finds the entries. */
import { flavors } from "../pattern/flavors.ts";
import { print } from "../pattern/print.ts";
import { alt, type Tree } from "../pattern/tree.ts";
import type { CompiledCatalogue, ItemFacts } from "./compiled-catalogue.ts";

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
  /** The lines of the additions in the index of names. */
  readonly nameIndex: readonly string[];
  /** Puts the alternatives in an order that engines like; default: as they are. */
  readonly arrange?: (tree: Tree) => Tree;
}

/**
 * The catalogue with the additions; an entry of the same name is replaced, whatever the case of its letters. The expression still finds
 * what a replaced entry matched: as a rule, which comes last and has no name and no facts for it.
 */
export function extendCatalogue(base: CompiledCatalogue, extension: Extension): CompiledCatalogue {
  const { version, additions, arrange = (tree) => tree } = extension;
  const { items, attribution, nameIndex, rules, spellings } = base;
  const nameOf = new Map(additions.map(({ facts: { name } }) => [name.toLowerCase(), name]));
  const isReplaced = ({ name }: ItemFacts): boolean => name !== undefined && nameOf.has(name.toLowerCase());
  const replaced = items.flatMap((item, index) => (isReplaced(item) ? index : []));
  const rest = replaced.filter((index) => !base.namesOnly.includes(index));
  const kept = [...items.keys()].filter((index) => !isReplaced(items[index]!));
  const order = [...kept, ...rest];
  const placeOf = new Map(kept.map((index, place) => [index, additions.length + place]));
  const tree = arrange(alt(...additions.map((addition) => addition.tree)));
  const expressions = additions.map((addition) => print(addition.tree));
  const own = print(tree);
  return {
    ...base,
    version,
    entries: base.entries + additions.length - replaced.length,
    expression: `${own}|${base.expression}`,
    own: base.own === undefined ? own : `${own}|${base.own}`,
    spellings: Object.fromEntries(
      Object.entries(spellings).map(([name, spelling]) => [name, `${print(tree, flavors[name])}|${spelling}`]),
    ),
    alternatives: [...new Set([...expressions, ...base.alternatives])],
    attribution: [...expressions, ...order.map((index) => attribution[index]!)],
    nameIndex: [...extension.nameIndex, ...order.map((index) => nameIndex[index]!)],
    items: [
      ...additions.map(({ facts }) => facts),
      ...kept.map((index) => items[index]!),
      ...rest.map((index) => ({ category: items[index]!.category, pattern: items[index]!.pattern })),
    ],
    rules: [...rules, ...rest.map((index) => ({ name: items[index]!.name!, except: [] }))],
    namesOnly: base.namesOnly.flatMap((index) => placeOf.get(index) ?? []),
    strings: [...new Set([...additions.flatMap(({ examples }) => examples), ...base.strings])],
    wellKnown: base.wellKnown.map((name) => nameOf.get(name.toLowerCase()) ?? name),
  };
}
