/**
 * Reads data files: compiled catalogues that are published. Besides the catalogue they have a manifest, test vectors, and the
 * sources that own catalogues are compiled with. Every program that reads compiled catalogues reads them, too.
 */
import { readSections } from "../detect/file/sections.ts";
import type { Detector } from "../detect/verdict.ts";
import { type BaseCatalogue, builtInCatalogue, toBaseCatalogue } from "./base-catalogue.ts";
import { date, list, object, parseSources, text } from "./check-catalogue.ts";
import { UpdateError } from "./errors.ts";

export interface Manifest {
  readonly format: number;
  /** The version of the catalogue. */
  readonly version: string;
  /** When the data were changed, such as `2026-11-22T18:00:00.000Z`. Of two files the later one is newer. */
  readonly date: string;
  /** The oldest version of this program that can use the data. */
  readonly minimumProgram: string;
}

/** A user agent, and the name of its entry, or whether it is a crawler: programs may differ in the names that they derive. */
export type Vector = readonly [useragent: string, crawler: string | boolean];

export interface DataFile {
  readonly manifest: Manifest;
  /** The date of the manifest, in milliseconds since 1970. */
  readonly changedAt: number;
  readonly base: BaseCatalogue;
  /** What the builder of the file made of user agents. A program that gives another verdict refuses the file. */
  readonly vectors: readonly Vector[];
}

/** The format of the members that only data files have. */
export const format = 1;
const program = builtInCatalogue.detector.version.split("+")[0]!;

const isManifest = object({ format: (value) => typeof value === "number", version: text, date, minimumProgram: text });
const areVectors = list(
  (value) =>
    Array.isArray(value) && value.length === 2 && text(value[0]) && /^(?:string|boolean)$/.test(typeof value[1]),
);

/** Reads a data file that this program can use, and checks the shape of every member; throws an UpdateError for others. */
export function parseDataFile(bytes: Uint8Array): DataFile {
  try {
    const { manifest, vectors } = readSections(bytes) as Partial<DataFile>;
    if (manifest === undefined || !isManifest(manifest))
      throw new UpdateError(
        "The file has no manifest: npm run data, or whocrawls compile, writes files that have one.",
      );
    const { minimumProgram } = manifest;
    if (manifest.format !== format)
      throw new UpdateError(
        `The data have the format ${manifest.format}; this program reads ${format}. Update whocrawls first.`,
      );
    if (minimumProgram.localeCompare(program, "en", { numeric: true }) > 0)
      throw new UpdateError(`The data need whocrawls ${minimumProgram}; this is ${program}. Update whocrawls first.`);
    if (vectors === undefined || !areVectors(vectors) || vectors.length === 0)
      throw new UpdateError("The data have no test vectors.");
    return { manifest, vectors, changedAt: Date.parse(manifest.date), base: toBaseCatalogue(bytes) };
  } catch (error) {
    if (error instanceof UpdateError) throw error;
    throw new UpdateError(`${(error as Error).message} If the signature holds, whocrawls may be too old for the data.`);
  }
}

/** Uses a data file; rejects with an UpdateError if this program gives other verdicts than the publisher's, or cannot read its sources. */
export async function proveDataFile({ base, vectors }: DataFile): Promise<void> {
  const failing = failingVectors(base.detector, vectors);
  if (failing[0] !== undefined) {
    const [useragent, expected] = failing[0];
    const verdict = { true: "a crawler", false: "not a crawler" }[String(expected)] ?? expected;
    throw new UpdateError(
      `${failing.length} of ${vectors.length} test vectors fail, such as ${JSON.stringify(useragent)}, which should be ${verdict}. Update whocrawls first, or report this to the publisher of the data.`,
    );
  }
  try {
    const sources = await base.readSources?.();
    if (sources !== undefined) parseSources(sources);
  } catch (error) {
    throw new UpdateError(`The sources of the data are malformed: ${(error as Error).message}`);
  }
}

/** The vectors for which a detector gives another verdict, or the expression that it publishes. */
export function failingVectors(detector: Detector, vectors: readonly Vector[]): Vector[] {
  // linear: consists of the catalogue's patterns; the data are signed
  const expression = new RegExp(detector.catalogue.expression);
  return vectors.filter(([useragent, expected]) => {
    const verdict = detector.check(useragent);
    if (expression.test(useragent) !== verdict.crawler) return true;
    return typeof expected === "string"
      ? verdict.name !== expected
      : detector.isCrawler(useragent) !== expected || verdict.crawler !== expected;
  });
}
