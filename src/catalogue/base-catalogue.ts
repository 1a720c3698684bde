/** Catalogues that own ones can be laid over: the one of this package, and compiled files, data files included. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { detector as builtIn } from "../detect/built-in/detector.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { parseCatalogueFile } from "../detect/file/catalogue-file.ts";
import type { Detector } from "../detect/verdict.ts";
import { findPackagedFile } from "../files/find-packaged-file.ts";
import { changedAt as builtInChangedAt, digest as builtInDigest } from "../generated/about.ts";
import { checkCatalogue, type DataMembers } from "./check-catalogue.ts";
import { CatalogueError } from "./errors.ts";

export interface BaseCatalogue {
  readonly detector: Detector;
  /** The compiled file; absent for the catalogue of this package. */
  readonly bytes?: Uint8Array;
  /** A hash of all of it. */
  readonly digest: string;
  /** What it was compiled from, JSON of LoadedSources; undefined if that is not known. */
  readonly readSources: (() => Promise<string>) | undefined;
  /** When its data were changed, in milliseconds since 1970; undefined if that is not known. */
  readonly changedAt: number | undefined;
}

/** The catalogue of this package. */
export const builtInCatalogue: BaseCatalogue = {
  detector: builtIn,
  digest: builtInDigest,
  readSources: async () => decompress(await readFile(findPackagedFile("generated/sources.json.br", "sources.json.br"))),
  changedAt: builtInChangedAt,
};

/** Makes a base catalogue of a compiled file; throws a CatalogueFileError if it is damaged, or if a member is malformed. */
export function toBaseCatalogue(bytes: Uint8Array): BaseCatalogue {
  const catalogue: CompiledCatalogue & DataMembers = parseCatalogueFile(bytes);
  const detector = checkCatalogue(catalogue);
  const { manifest, sources } = catalogue;
  // A catalogue that is made of this one does not inherit them.
  delete catalogue.manifest;
  delete catalogue.vectors;
  delete catalogue.sources;
  return {
    detector,
    bytes,
    digest: createHash("sha256").update(bytes).digest("hex"),
    readSources: sources && (() => decompress(sources)),
    changedAt: manifest && Date.parse(manifest.date),
  };
}

/** The sources of this package take less than 1 MB. */
const mostSourceBytes = 16 * 2 ** 20;

async function decompress(bytes: Uint8Array): Promise<string> {
  try {
    return (await promisify(brotliDecompress)(bytes, { maxOutputLength: mostSourceBytes })).toString("utf8");
  } catch {
    throw new CatalogueError([
      `The sources in the compiled catalogue are damaged, or larger than ${mostSourceBytes / 2 ** 20} MB.`,
    ]);
  }
}
