/**
 * Data files: compiled catalogues that are published. Besides the catalogue they have a manifest, test vectors, and the sources
 * that own catalogues are compiled with. Every program that reads compiled catalogues reads them, too.
 */
import { brotliCompressSync } from "node:zlib";
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { CatalogueFileError, readSections, writeSections } from "../../detect/file/sections.ts";
import type { Detector } from "../../detect/verdict.ts";
import { type DataMembers, toBaseCatalogue } from "../base-catalogue.ts";
import { UpdateError } from "./update-error.ts";
import type { Vector } from "./vectors.ts";

export interface Manifest {
  readonly format: number;
  /** The version of the catalogue. */
  readonly version: string;
  /** When the data were changed, such as `2026-11-22T18:00:00.000Z`. Of two files the later one is newer. */
  readonly date: string;
  /** The oldest version of this program that can use the data. */
  readonly minimumProgram: string;
}

export interface DataFile {
  readonly manifest: Manifest;
  readonly detector: Detector;
  readonly vectors: readonly Vector[];
}

/** The format of the members that only data files have. */
const format = 1;
/** Increase it when data need a newer program, such as for another kind of rule. */
const minimumProgram = "0.1.0";

interface Content {
  readonly catalogue: CompiledCatalogue;
  /** In milliseconds since 1970. */
  readonly changedAt: number;
  readonly vectors: readonly Vector[];
  /** JSON of LoadedSources, if the catalogue was compiled from nothing else. */
  readonly sources?: string | undefined;
}

/** Writes a data file; the same content gives the same bytes. */
export function encodeDataFile({ catalogue, changedAt, vectors, sources }: Content): Uint8Array {
  const { version } = catalogue;
  const manifest: Manifest = { format, version, date: new Date(changedAt).toISOString(), minimumProgram };
  const compressed = sources === undefined ? undefined : new Uint8Array(brotliCompressSync(sources));
  return writeSections({
    ...({ manifest, vectors, ...(compressed && { sources: compressed }) } satisfies DataMembers),
    ...catalogue,
  });
}

/** Reads a data file that this program, of version `program`, can use; throws an UpdateError for others. */
export function parseDataFile(bytes: Uint8Array, program: string): DataFile {
  const { manifest, vectors } = readMembers(bytes);
  if (!isManifest(manifest))
    throw new UpdateError("The file has no manifest: npm run data, or whocrawls compile, writes files that have one.");
  if (manifest.format !== format)
    throw new UpdateError(
      `The data have the format ${manifest.format}; this program reads ${format}. Update whocrawls itself first.`,
    );
  if (compareVersions(manifest.minimumProgram, program) > 0)
    throw new UpdateError(
      `The data need whocrawls ${manifest.minimumProgram}; this is ${program}. Update whocrawls itself first.`,
    );
  if (!Array.isArray(vectors) || vectors.length === 0) throw new UpdateError("The data have no test vectors.");
  return { manifest, vectors: vectors as Vector[], detector: toBaseCatalogue(bytes).detector };
}

function readMembers(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return readSections(bytes);
  } catch (error) {
    if (!(error instanceof CatalogueFileError)) throw error;
    throw new UpdateError(`${error.message} If the signature holds, whocrawls itself may be too old for the data.`);
  }
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  const { format, version, date, minimumProgram } = value as Partial<Manifest>;
  return (
    typeof format === "number" &&
    typeof version === "string" &&
    Number.isFinite(Date.parse(date ?? "")) &&
    typeof minimumProgram === "string"
  );
}

/** Compares versions such as `1.10.2`: negative if the first is older. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split("+")[0]!.split(".").map(Number)) as [number[], number[]];
  const differences = [0, 1, 2].map((at) => (a[at] ?? 0) - (b[at] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
