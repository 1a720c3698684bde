/** Makes a detector of custom catalogues over the built-in one. */
import { layCustom } from "../../../src/compiler/custom/lay-custom.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import type { Detector } from "../../../src/detect/verdict.ts";
import { browserStrings } from "../../../src/generated/browser-strings.ts";
import { finish } from "../../../src/pattern/finish.ts";

/** The detector, and the warnings. Throws DataError; errors and warnings name own.yaml, own2.yaml, and so on. */
export function customDetector(...texts: readonly string[]): {
  readonly own: Detector;
  readonly warnings: readonly string[];
} {
  const files = texts.map((text, index) => ({ path: index === 0 ? "own.yaml" : `own${index + 1}.yaml`, text }));
  const laid = finish(
    layCustom(files, { base: detector, versionSuffix: ".own.test", browsers: browserStrings, needsExpression: false }),
  );
  return { own: laid.detector, warnings: laid.warnings };
}
