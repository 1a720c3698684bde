/** Gives verdicts with a compiled catalogue and its overlays: each is asked in turn, and the catalogue below them last. */
import type { CompiledCatalogue, Overlay } from "../compiled-catalogue.ts";
import { createCheck } from "../create-check.ts";
import { createDecider } from "../decider.ts";
import { createExpressionVerdicts, type Part, type Verdicts } from "./expression-verdicts.ts";

type Tables = Pick<CompiledCatalogue, "deciding" | "identification">;

/** Makes the functions that give verdicts; `below` has those of the catalogue without its overlays, where they exist already. */
export function createVerdicts(catalogue: CompiledCatalogue, below?: Verdicts): Verdicts {
  const layer = ([overlay, ...others]: readonly Overlay[], part: () => Part): Verdicts => {
    if (overlay === undefined) return below ?? createTableVerdicts(catalogue, part);
    const ownPart = () => firstOf(part(), overlay.entries);
    const own = overlay.tables ? createTableVerdicts(overlay.tables, ownPart) : createExpressionVerdicts(ownPart);
    return inOrder(
      own,
      layer(others, () => belowOf(part(), overlay)),
    );
  };
  return layer(catalogue.overlays ?? [], () => ({ items: catalogue.items, expressions: catalogue.attribution }));
}

function createTableVerdicts(tables: Tables, part: () => Part): Verdicts {
  const decider = createDecider(tables);
  const check = createCheck(decider.isCrawler, {
    get identification() {
      return tables.identification;
    },
    get items() {
      return part().items;
    },
  });
  return { ...decider, check };
}

/** What `first` does not take for a crawler's is left to `second`. */
function inOrder(first: Verdicts, second: Verdicts): Verdicts {
  return {
    isCrawler: (useragent) => first.isCrawler(useragent) || second.isCrawler(useragent),
    isCrawlerBytes: (useragent, from, to) =>
      first.isCrawlerBytes(useragent, from, to) || second.isCrawlerBytes(useragent, from, to),
    check(useragent) {
      const verdict = first.check(useragent);
      return verdict.crawler ? verdict : second.check(useragent);
    },
  };
}

function firstOf({ items, expressions }: Part, count: number): Part {
  return { items: items.slice(0, count), expressions: expressions.slice(0, count) };
}

/** What is below an overlay, with something in each place of what it replaces: an entry of its own, which precedes that. */
function belowOf({ items, expressions }: Part, { entries, replaced }: Overlay): Part {
  const below = { items: items.slice(entries), expressions: expressions.slice(entries) };
  for (const index of replaced) {
    below.items.splice(index, 0, items[0]!);
    below.expressions.splice(index, 0, expressions[0]!);
  }
  return below;
}
