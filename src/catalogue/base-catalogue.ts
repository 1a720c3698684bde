/** Catalogues that own ones can be laid over: the one of this package, and compiled files, data files included. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { detector as builtIn } from "../detect/built-in/detector.ts";
import { createDetector } from "../detect/create-detector.ts";
import { parseCatalogueFile } from "../detect/file/catalogue-file.ts";
import type { Detector } from "../detect/verdict.ts";
import { changedAt as builtInChangedAt, digest as builtInDigest } from "../generated/about.ts";
import { findPackagedFile } from "./find-packaged-file.ts";

export interface BaseCatalogue {
  readonly detector: Detector;
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
  readSources: async () =>
    decompress(await readFile(findPackagedFile("../generated/sources.json.br", "sources.json.br"))),
  changedAt: builtInChangedAt,
};

/** The members that only data files have (src/catalogue/updates/data-file.ts). */
export interface DataMembers {
  manifest?: { readonly date: string };
  vectors?: unknown;
  /** Compressed JSON of LoadedSources. */
  sources?: Uint8Array;
}

/** Makes a base catalogue of a compiled file; throws a CatalogueFileError. */
export function toBaseCatalogue(bytes: Uint8Array): BaseCatalogue {
  const catalogue = parseCatalogueFile(bytes);
  const members = catalogue as DataMembers;
  const { manifest, sources } = members;
  // A catalogue that is made of this one does not inherit them.
  delete members.manifest;
  delete members.vectors;
  delete members.sources;
  return {
    detector: createDetector(catalogue),
    digest: createHash("sha256").update(bytes).digest("hex"),
    readSources: sources && (() => decompress(sources)),
    changedAt: manifest && Date.parse(manifest.date),
  };
}

async function decompress(bytes: Uint8Array): Promise<string> {
  return (await promisify(brotliDecompress)(bytes)).toString("utf8");
}
