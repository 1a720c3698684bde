/** Makes a detector of a compiled catalogue: it decides, names and explains. */
import type { CompiledCatalogue } from "./compiled-catalogue.ts";
import { createExplain } from "./explain.ts";
import { createVerdicts } from "./overlay/create-verdicts.ts";
import type { Detector } from "./verdict.ts";

/** The functions of a detector. */
export type Detection = Pick<Detector, "isCrawler" | "isCrawlerBytes" | "check" | "explain">;

/**
 * Makes a detector. Its tables are decoded when they are first needed. `detection` has the functions of the same catalogue
 * where they exist already; default: they are made.
 */
export function createDetector(
  catalogue: CompiledCatalogue,
  detection: Detection = createDetection(catalogue),
): Detector {
  const { version, entries, expression, alternatives } = catalogue;
  return { catalogue, version, entries, expression, alternatives, strings: () => catalogue.strings, ...detection };
}

function createDetection(catalogue: CompiledCatalogue): Detection {
  const verdicts = createVerdicts(catalogue);
  return { ...verdicts, explain: createExplain(verdicts.check, catalogue) };
}
