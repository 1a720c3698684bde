/** Creates a detector from a compiled catalogue: it decides, names and explains. */
import type { CompiledCatalogue } from "./compiled-catalogue.ts";
import { createCheck } from "./create-check.ts";
import { withCustom } from "./custom-test.ts";
import { createDecider, type Decider } from "./decider.ts";
import { createExplain } from "./explain.ts";
import { portableOf } from "./name-index.ts";
import type { Detector } from "./verdict.ts";

/** The functions of a detector. */
export type Detection = Pick<Detector, "isCrawler" | "isCrawlerBytes" | "check" | "explain">;

/**
 * Makes a detector. Its tables are decoded when they are first needed. `detection` provides the functions of the same catalogue
 * if they exist already; by default, they are created.
 */
export function createDetector(
  catalogue: CompiledCatalogue,
  detection: Detection = createDetection(catalogue, withCustom(createDecider(catalogue), catalogue.own)),
): Detector {
  const { version, entries } = catalogue;
  return {
    catalogue,
    version,
    entries,
    strings: () => catalogue.strings,
    ...detection,
    // Getters come last: an object with other members after them is a dictionary to V8, so each call would take 4 ns longer.
    get expression() {
      return catalogue.expression;
    },
    get alternatives() {
      const { nameIndex, alternatives } = catalogue;
      return [...new Set(alternatives.map((item) => portableOf(nameIndex[item]!)))];
    },
  };
}

/** The functions of a catalogue, of which `decider` decides. */
export function createDetection(catalogue: CompiledCatalogue, decider: Decider): Detection {
  const check = createCheck(decider.isCrawler, catalogue);
  return { ...decider, check, explain: createExplain(check, catalogue) };
}
