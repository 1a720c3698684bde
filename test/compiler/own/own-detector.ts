/** Makes a detector of own catalogues, as the program does: what changes the catalogue below is compiled in this process. */
import { readSources } from "../../../build/read-catalogue.ts";
import { planOwn } from "../../../src/compiler/own/compile-own.ts";
import { compileModified } from "../../../src/compiler/own/modify.ts";
import { loadCatalogue } from "../../../src/compiler/sources/load.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { createDetector } from "../../../src/detect/create-detector.ts";
import type { Detector } from "../../../src/detect/verdict.ts";

/** The detector, and the warnings. */
export function ownDetector(...texts: readonly string[]): {
  readonly own: Detector;
  readonly warnings: readonly string[];
} {
  const base = detector.catalogue;
  const plan = planOwn(
    texts.map((text, index) => ({ path: `own${index + 1}.yaml`, text })),
    base,
  );
  let below = base;
  if (plan.modification !== undefined) {
    const { browsers, ...sources } = readSources();
    const facts = { wellKnown: base.wellKnown, verification: base.verification };
    below = compileModified({ catalogue: loadCatalogue(sources), browsers }, plan.modification, facts);
  }
  const { catalogue, warnings } = plan.finish(below, ".own.test");
  return { own: createDetector(catalogue), warnings };
}
