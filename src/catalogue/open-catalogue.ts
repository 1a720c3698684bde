/**
 * Opens the catalogue that files describe: own catalogues (YAML), laid over the one of the package or over a compiled file. What
 * was compiled is stored, so that the next start only loads it. The compiler is loaded only if it is needed.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { detector as builtIn } from "../detect/built-in/detector.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { createDetector } from "../detect/create-detector.ts";
import { CatalogueFileError } from "../detect/file/sections.ts";
import type { Detector } from "../detect/verdict.ts";
import { digest as builtInDigest } from "../generated/about.ts";
import { type BaseCatalogue, builtInCatalogue, toBaseCatalogue } from "./base-catalogue.ts";
import { type Compiled, readCache, writeCache } from "./catalogue-cache.ts";
import { CatalogueError } from "./catalogue-error.ts";
import { compileInProcess } from "./compile-process.ts";

/** A compiled catalogue has one or two million. */
const mostBytes = 20_000_000;

export interface OpenOptions {
  /** Paths of own catalogues, of which later ones prevail; the first may be a compiled catalogue instead. */
  readonly files: readonly string[];
  /** In its folder `catalogues`, compiled catalogues are stored; undefined: they are not. */
  readonly cacheFolder: string | undefined;
  /** Default: the catalogue of this package. */
  readonly base?: BaseCatalogue;
}

/** A catalogue that is ready. */
export interface OpenedCatalogue {
  readonly detector: Detector;
  /** What the author of an own catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
  /** When the data below own catalogues were changed, in milliseconds since 1970; undefined if that is not known. */
  readonly changedAt: number | undefined;
}

interface OwnFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Opens a catalogue; rejects with CatalogueError that names every problem with file and line. */
export async function openCatalogue({
  files,
  cacheFolder,
  base = builtInCatalogue,
}: OpenOptions): Promise<OpenedCatalogue> {
  const read = await Promise.all(files.map(readOwn));
  const [first, ...others] = read;
  const misplaced = others.find(isCompiled);
  if (misplaced !== undefined)
    throw new CatalogueError([`${misplaced.path}: a compiled catalogue comes first, and there is one at most`]);
  const below = first !== undefined && isCompiled(first) ? toBase(first) : base;
  const own = below === base ? read : others;
  const { changedAt } = below;
  if (own.length === 0) return { detector: below.detector, warnings: [], changedAt };
  const key = keyOf(below, own);
  const folder = cacheFolder && join(cacheFolder, "catalogues");
  const cached = folder && (await readCache(folder, key));
  const { catalogue, warnings } = cached || (await compileOwn(own, below, key));
  if (!cached && folder) await writeCache(folder, key, { catalogue, warnings });
  return { detector: createDetector(catalogue), warnings, changedAt };
}

async function readOwn(path: string): Promise<OwnFile> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new Error("it is a folder");
    // Reading a pipe would wait for ever, and a device has no end.
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > mostBytes) throw new Error(`it has ${stats.size} bytes; at most ${mostBytes} are allowed`);
    return { path, bytes: await readFile(path) };
  } catch (error) {
    throw new CatalogueError([`${path}: it cannot be read: ${(error as Error).message}`]);
  }
}

/** Whether a file is a compiled catalogue, of whatever format. */
function isCompiled({ bytes }: OwnFile): boolean {
  return Buffer.from(bytes.subarray(0, 3)).toString("latin1") === "WCC";
}

function toBase({ path, bytes }: OwnFile): BaseCatalogue {
  try {
    return toBaseCatalogue(bytes);
  } catch (error) {
    if (!(error instanceof CatalogueFileError)) throw error;
    throw new CatalogueError([`${path}: ${error.message}`]);
  }
}

/** The built-in catalogue's digest stands for the program, too: a version of the program that compiles otherwise has another. */
function keyOf({ digest, detector }: BaseCatalogue, own: readonly OwnFile[]): string {
  const hash = createHash("sha256").update(JSON.stringify([builtIn.version, builtInDigest, detector.version, digest]));
  for (const { path, bytes } of own) hash.update(JSON.stringify([path, bytes.length])).update(bytes);
  return hash.digest("hex");
}

/** Compiles own catalogues; rejects with CatalogueError. */
export async function compileOwn(
  own: readonly OwnFile[],
  below: BaseCatalogue = builtInCatalogue,
  key: string = keyOf(below, own),
): Promise<Compiled> {
  const { planOwn } = await import("../compiler/own/compile-own.ts");
  const { DataError } = await import("../compiler/sources/data-error.ts");
  const base = below.detector.catalogue;
  try {
    const plan = planOwn(
      own.map(({ path, bytes }) => ({ path, text: toText(path, bytes) })),
      base,
    );
    const modified = plan.modification && (await modify(below, plan.modification));
    return plan.finish(modified ?? base, `.own.${key.slice(0, 8)}`);
  } catch (error) {
    throw error instanceof DataError ? new CatalogueError(error.problems) : error;
  }
}

function toText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CatalogueError([`${path}: it is not UTF-8`]);
  }
}

async function modify(
  below: BaseCatalogue,
  modification: Parameters<typeof compileInProcess>[0],
): Promise<CompiledCatalogue> {
  if (below.readSources === undefined)
    throw new CatalogueError([
      "people:, remove: and rules: cannot be laid over a compiled catalogue, which has no sources: compile all own catalogues together, with whocrawls compile.",
    ]);
  const { verification, wellKnown } = below.detector.catalogue;
  const compiled = await compileInProcess(modification, await below.readSources());
  const removed = new Set(modification.remove);
  // The process is not given what it would only return.
  return { ...compiled, verification, wellKnown: wellKnown.filter((name) => !removed.has(name)) };
}
