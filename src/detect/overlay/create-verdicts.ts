/** Gives verdicts with a compiled catalogue and its overlays: each is asked in turn, and the catalogue below them last. */
import type { CompiledCatalogue } from "../compiled-catalogue.ts";
import { createCheck } from "../create-check.ts";
import { createDecider } from "../decider.ts";
import { createExpressionVerdicts, type Part, type Verdicts } from "./expression-verdicts.ts";

/** An overlay, or the catalogue below all of them. */
export interface Layer {
  /** Absent: the expressions of its part decide. */
  readonly tables: Pick<CompiledCatalogue, "deciding" | "identification"> | undefined;
  /** Its items and their expressions; read when they are first needed. */
  readonly part: () => Part;
}

/** Makes the functions that give verdicts. */
export function createVerdicts(catalogue: CompiledCatalogue): Verdicts {
  return layersOf(catalogue)
    .map(createLayerVerdicts)
    .reduceRight((below, layer) => inOrder(layer, below));
}

/** The layers of a catalogue: the first layer that takes a string for a crawler's names the crawler. */
export function layersOf(catalogue: CompiledCatalogue): Layer[] {
  let part = (): Part => ({ items: catalogue.items, expressions: catalogue.attribution });
  const layers = (catalogue.overlays ?? []).map(({ tables, entries, replaced }): Layer => {
    const all = part;
    part = () => belowOf(all(), entries, replaced);
    return { tables, part: () => firstOf(all(), entries) };
  });
  return [...layers, { tables: catalogue, part }];
}

function createLayerVerdicts({ tables, part }: Layer): Verdicts {
  if (tables === undefined) return createExpressionVerdicts(part);
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
function belowOf({ items, expressions }: Part, entries: number, replaced: readonly number[]): Part {
  const below = { items: items.slice(entries), expressions: expressions.slice(entries) };
  for (const index of replaced) {
    below.items.splice(index, 0, items[0]!);
    below.expressions.splice(index, 0, expressions[0]!);
  }
  return below;
}
