/** Gives verdicts with a compiled catalogue and its overlays: each is asked in turn, and the catalogue below them last. */
import type { CompiledCatalogue, DecidingTables, ItemFacts } from "../compiled-catalogue.ts";
import { createCheck } from "../create-check.ts";
import { createDecider } from "../decider.ts";
import type { Detector } from "../verdict.ts";
import { createExpressionDecider } from "./expression-decider.ts";

/** The functions that give verdicts. */
export type Verdicts = Pick<Detector, "isCrawler" | "isCrawlerBytes" | "check">;

/** An overlay, or the catalogue below all of them. Members may be getters that decode at each call. */
export interface Layer {
  /** Absent: the expressions of its index decide. */
  readonly deciding?: DecidingTables;
  readonly nameIndex: readonly string[];
  readonly items: readonly ItemFacts[];
}

/** Makes the functions that give verdicts. */
export function createVerdicts(catalogue: CompiledCatalogue): Verdicts {
  return layersOf(catalogue)
    .map(createLayerVerdicts)
    .reduceRight((below, layer) => inOrder(layer, below));
}

/** The layers of a catalogue: the first layer that takes a string for a crawler's names the crawler. */
export function layersOf(catalogue: CompiledCatalogue): Layer[] {
  let items = (): readonly ItemFacts[] => catalogue.items;
  const layers = (catalogue.overlays ?? []).map(({ entries, replaced, ...tables }): Layer => {
    const all = items;
    items = () => belowOf(all(), entries, replaced);
    return {
      ...tables,
      get items() {
        return all().slice(0, entries);
      },
    };
  });
  const base: Layer = {
    get deciding() {
      return catalogue.deciding;
    },
    get nameIndex() {
      return catalogue.nameIndex;
    },
    get items() {
      return items();
    },
  };
  return [...layers, base];
}

function createLayerVerdicts(layer: Layer): Verdicts {
  const { deciding } = layer;
  const decider = deciding === undefined ? createExpressionDecider(layer.nameIndex) : createDecider({ deciding });
  return { ...decider, check: createCheck(decider.isCrawler, layer) };
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

/** What is below an overlay, with something in each place of what it replaces: an entry of its own, which precedes that. */
function belowOf(items: readonly ItemFacts[], entries: number, replaced: readonly number[]): ItemFacts[] {
  const below = items.slice(entries);
  for (const index of replaced) below.splice(index, 0, items[0]!);
  return below;
}
