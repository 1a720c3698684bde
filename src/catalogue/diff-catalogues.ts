/** What changes from one catalogue to another: crawlers by their names, and the verdicts on strings. */
import type { ItemFacts } from "../detect/compiled-catalogue.ts";
import { statedFacts } from "../detect/facts.ts";
import type { Detector, Verdict } from "../detect/verdict.ts";

export interface CatalogueDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Crawlers whose facts or patterns differ, and which. */
  readonly changed: readonly { readonly name: string; readonly facts: readonly string[] }[];
}

const compared = [...statedFacts(), "robots", "robotsRules", "pattern"] as const;

/** Compares the crawlers of two catalogues. */
export function diffCrawlers(before: Detector, after: Detector): CatalogueDiff {
  const [old, fresh] = [before, after].map(byName) as [Map<string, ItemFacts>, Map<string, ItemFacts>];
  const changed = [...fresh].flatMap(([name, item]) => {
    const other = old.get(name);
    if (other === undefined) return [];
    const facts = compared.filter((fact) => JSON.stringify(item[fact]) !== JSON.stringify(other[fact]));
    return facts.length === 0 ? [] : { name, facts };
  });
  return {
    added: [...fresh.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !fresh.has(name)),
    changed,
  };
}

function byName({ catalogue }: Detector): Map<string, ItemFacts> {
  const named = catalogue.items.flatMap((item) => (item.name === undefined ? [] : [[item.name, item] as const]));
  return new Map(named.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** How the verdict on a string changes, such as `not a crawler -> GPTBot`; undefined if its name and category stay. */
export function diffVerdict(before: Detector, after: Detector, useragent: string): string | undefined {
  const [old, fresh] = [describe(before.check(useragent)), describe(after.check(useragent))];
  return old === fresh ? undefined : `${old} -> ${fresh}`;
}

function describe({ crawler, name = "a crawler without a name", category }: Verdict): string {
  return crawler ? `${name} (${category})` : "not a crawler";
}
