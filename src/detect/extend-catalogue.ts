/** A compiled catalogue with entries that precede it: all its texts and facts, and the expression that finds the entries. */
import type { CompiledCatalogue, ItemFacts } from "./compiled-catalogue.ts";
import { withMembers } from "./with-members.ts";

/** An entry as it is added. */
export interface Addition {
  readonly facts: ItemFacts & { readonly name: string };
  readonly examples: readonly string[];
}

export interface Extension {
  readonly version: string;
  /** In the order of precedence; at least one. */
  readonly additions: readonly Addition[];
  /** The expression of the additions. */
  readonly own: string;
  /** The lines of the additions in the index of names. */
  readonly nameIndex: readonly string[];
}

/** So many strings take a millisecond or two. */
const partStrings = 2000;

/**
 * The catalogue with the additions; an entry of the same name is replaced, whatever the case of its letters. The expression still finds
 * what a replaced entry matched: as a rule, which comes last and has no name and no facts for it. In parts.
 */
export function* extendCatalogue(
  base: CompiledCatalogue,
  extension: Extension,
): Generator<undefined, CompiledCatalogue> {
  const { version, additions, own } = extension;
  const { items, nameIndex, rules, alternatives, strings, ownEntries = 0 } = base;
  const { ranges, proofs } = base.verification;
  const nameOf = new Map(additions.map(({ facts: { name } }) => [name.toLowerCase(), name]));
  /** A crawler that is replaced by one in another spelling stays well known, and can be verified as before. */
  const rename = (name: string): string => nameOf.get(name.toLowerCase()) ?? name;
  const isReplaced = ({ name }: ItemFacts): boolean => name !== undefined && nameOf.has(name.toLowerCase());
  const replaced = items.flatMap((item, index) => (isReplaced(item) ? index : []));
  const isDeciding = new Set(alternatives);
  const rest = replaced.filter((index) => isDeciding.has(index));
  const kept = [...items.keys()].filter((index) => !isReplaced(items[index]!));
  const order = [...kept, ...rest];
  const placeOf = new Map(order.map((index, place) => [index, additions.length + place]));
  const places = new Map<string, number>();
  for (const [index, text] of [...additions.flatMap(({ examples }) => examples), ...strings].entries()) {
    if (!places.has(text)) places.set(text, places.size);
    if (index % partStrings === 0) yield;
  }
  const owners = additions.map(({ examples }, index) => [index, ...examples.map((text) => places.get(text)!)]);
  yield;
  for (const [index, ...known] of base.owners)
    if (placeOf.has(index!)) owners.push([placeOf.get(index!)!, ...known.map((text) => places.get(strings[text]!)!)]);
  yield;
  return withMembers(base, {
    version,
    entries: base.entries + additions.length - replaced.length,
    get expression() {
      return `${own}|${base.expression}`;
    },
    own: base.own === undefined ? own : `${own}|${base.own}`,
    ownEntries: additions.length + items.slice(0, ownEntries).filter((item) => !isReplaced(item)).length,
    alternatives: [...additions.keys(), ...alternatives.map((index) => placeOf.get(index)!)],
    nameIndex: [...extension.nameIndex, ...order.map((index) => nameIndex[index]!)],
    items: [
      ...additions.map(({ facts }) => facts),
      ...kept.map((index) => items[index]!),
      ...rest.map((index) => ({ category: items[index]!.category, pattern: items[index]!.pattern })),
    ],
    rules: [...rules, ...rest.map((index) => ({ name: items[index]!.name!, except: [] }))],
    strings: [...places.keys()],
    owners,
    wellKnown: base.wellKnown.map(rename),
    verification: { ranges, proofs: proofs.map((proof) => ({ ...proof, crawlers: proof.crawlers.map(rename) })) },
  });
}
