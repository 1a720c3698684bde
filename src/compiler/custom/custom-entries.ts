/** Adds custom entries to a compiled catalogue. */
import type { CompiledCatalogue, ItemFacts } from "../../detect/compiled-catalogue.ts";
import { extendCatalogue } from "../../detect/extend-catalogue.ts";
import { withMembers } from "../../detect/with-members.ts";
import { toExpressionInParts } from "../../pattern/factor.ts";
import { parseDataPattern } from "../../pattern/parse.ts";
import type { Tree } from "../../pattern/tree.ts";
import { countingNonAscii } from "../compile.ts";
import { toFacts } from "../compile-catalogue.ts";
import type { Item } from "../entry.ts";
import { toNameIndex } from "../name-index.ts";
import { DataError } from "../sources/data-error.ts";
import type { CustomCatalogue } from "./merge-custom.ts";

/** So many items take a millisecond or two. */
const partItems = 40;

/** The catalogue with the custom entries before all others, and with the changed facts. In parts. */
export function* withEntries(
  base: CompiledCatalogue,
  { entries, changes }: Pick<CustomCatalogue, "entries" | "changes">,
  version: string,
): Generator<undefined, CompiledCatalogue> {
  const changed = withMembers(base, { version, items: base.items.map((item) => change(item, changes)) });
  if (entries.length === 0) return changed;
  yield;
  const items = entries.map((entry): Item & { readonly kind: "entry" } => ({ kind: "entry", ...entry }));
  const trees: Tree[] = [];
  const problems: string[] = [];
  for (const item of items) {
    const tree = parseDataPattern(item.pattern);
    trees.push(tree);
    problems.push(...countingNonAscii(item, tree));
    if (trees.length % partItems === 0) yield;
  }
  if (problems.length > 0) throw new DataError(problems);
  const own = yield* toExpressionInParts(trees);
  const strings = items.flatMap(({ examples }) => examples);
  const nameIndex = yield* toNameIndex(items, trees, strings);
  yield;
  return yield* extendCatalogue(changed, {
    version,
    own,
    nameIndex,
    additions: items.map((item) => ({ facts: { ...toFacts(item), name: item.name }, examples: item.examples })),
  });
}

function change(item: ItemFacts, changes: CustomCatalogue["changes"]): ItemFacts {
  const facts = item.name === undefined ? undefined : changes.get(item.name.toLowerCase());
  if (facts === undefined) return item;
  const { operatorDerived, ...kept } = item;
  const isDerived = facts.operator === undefined && operatorDerived !== undefined;
  return { ...kept, ...(isDerived && { operatorDerived }), ...facts };
}
