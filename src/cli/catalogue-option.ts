/** The command option --catalogue, and the detector that it selects. */
import { detector as builtIn } from "../detect/built-in/detector.ts";
import type { Detector } from "../detect/verdict.ts";
import { toPlainLines } from "../text/plain-text.ts";

export const catalogueOption = {
  takes: "FILE",
  list: true,
  help: "your own catalogue, YAML or compiled (docs/custom-catalogue.md); may be repeated; later files take precedence",
} as const;

/** The detector of these files; without any, the built-in one. Warnings go to standard error. Throws a DataError for wrong files. */
export async function openDetector(files: readonly string[] = []): Promise<Detector> {
  if (files.length === 0) return builtIn;
  const { openCatalogue } = await import("../catalogue/open-catalogue.ts");
  const { detector, file } = await openCatalogue(files);
  for (const warning of file.warnings) process.stderr.write(`warning: ${toPlainLines(warning)}\n`);
  return detector;
}
