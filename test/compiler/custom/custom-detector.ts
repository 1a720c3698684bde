/** Makes a detector of custom catalogues that leave the catalogue below as it is. */
import assert from "node:assert/strict";
import { planCustom } from "../../../src/compiler/custom/compile-custom.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { createDetector } from "../../../src/detect/create-detector.ts";
import type { Detector } from "../../../src/detect/verdict.ts";

/** The detector, and the warnings. */
export function customDetector(...texts: readonly string[]): {
  readonly own: Detector;
  readonly warnings: readonly string[];
} {
  const plan = planCustom(
    texts.map((text, index) => ({ path: `own${index + 1}.yaml`, text })),
    detector.catalogue,
  );
  assert.equal(plan.modification, undefined);
  const { catalogue, warnings } = plan.finish(detector.catalogue, ".own.test");
  return { own: createDetector(catalogue), warnings };
}
