/** The verdicts on the catalogue's own strings, which List and the pages of crawlers show. */
import type { Detector, Verdict } from "../detect/verdict.ts";

/** The verdicts, which are computed only once. */
interface CatalogueVerdicts {
  /** In the order of the strings. */
  all(): readonly Verdict[];
  /** Finds the rest of them in parts, each of which takes a few milliseconds. */
  find(): Generator<undefined, void>;
}

const partLength = 100;
const known = new WeakMap<Detector, CatalogueVerdicts>();

/** The verdicts of a detector. */
export function verdictsOf(detector: Detector): CatalogueVerdicts {
  const verdicts = known.get(detector) ?? createVerdicts(detector);
  known.set(detector, verdicts);
  return verdicts;
}

function createVerdicts({ strings, check }: Detector): CatalogueVerdicts {
  const verdicts: Verdict[] = [];
  function* find(): Generator<undefined, void> {
    for (const all = strings(); verdicts.length < all.length; )
      if (verdicts.push(check(all[verdicts.length])) % partLength === 0) yield;
  }
  return {
    find,
    all() {
      for (const _ of find());
      return verdicts;
    },
  };
}
