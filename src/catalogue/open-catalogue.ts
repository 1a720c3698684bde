/**
 * Opens the catalogue that files describe: own catalogues (YAML), laid over the one of the package, over downloaded data, or over a
 * compiled file. What was compiled before is loaded; the rest is left to compile-files.ts in a process of its own.
 */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { detector as builtIn } from "../detect/built-in/detector.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { createDetector } from "../detect/create-detector.ts";
import { CatalogueFileError } from "../detect/file/sections.ts";
import type { Detector } from "../detect/verdict.ts";
import { digest as builtInDigest } from "../generated/about.ts";
import { toFileProblem } from "../text/file-problem.ts";
import { type BaseCatalogue, builtInCatalogue, toBaseCatalogue } from "./base-catalogue.ts";
import { parseStored, readCache, writeCache } from "./catalogue-cache.ts";
import {
  type CatalogueFile,
  type OpenOptions,
  type OwnSource,
  type ProcessHooks,
  runInProcess,
} from "./catalogue-process.ts";
import { dataPath, readStored } from "./downloaded-data.ts";
import { CatalogueError } from "./errors.ts";

/** A compiled catalogue has one or two million. */
const mostBytes = 20_000_000;
/** YAML takes a hundred times its size in memory. A thousand crawlers have less than a tenth of it. */
const mostYamlBytes = 2_000_000;

/** An opened catalogue for this process. */
export interface OpenedCatalogue {
  readonly file: CatalogueFile;
  readonly detector: Detector;
}

/** Files that were read. */
export interface Reading {
  readonly below: BaseCatalogue;
  readonly own: readonly OwnFile[];
  /** Why downloaded data are not used, or not the newest. */
  readonly dataWarnings: readonly string[];
  /** Of all contents, whatever their paths. */
  readonly key: string;
}

export interface OwnFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Opens a catalogue; rejects with a CatalogueError that names every problem with file and line. */
export async function openCatalogue(options: OpenOptions, hooks: ProcessHooks = {}): Promise<OpenedCatalogue> {
  const found = await findCompiled(await readFiles(options), options);
  if (found !== undefined) return found;
  const file = await runInProcess({ type: "open", options }, hooks);
  return { file, detector: await loadCatalogueFile(file) };
}

/** The detector of an opened catalogue. */
export async function loadCatalogueFile({ path }: CatalogueFile): Promise<Detector> {
  return path === undefined ? builtIn : createDetector(parseStored(await readFile(path)).catalogue);
}

/** Reads files. They are laid over `base`; absent: over the downloaded data or the catalogue of the package. */
export async function readFiles({ files, dataFolder }: OpenOptions, base?: BaseCatalogue): Promise<Reading> {
  const read = await Promise.all(files.map(readOwn));
  const [first, ...others] = read;
  const misplaced = others.find(isCompiled);
  if (misplaced !== undefined)
    throw new CatalogueError([`${misplaced.path}: a compiled catalogue comes first, and there is one at most`]);
  const hasCompiled = first !== undefined && isCompiled(first);
  const own = hasCompiled ? others : read;
  const { below, dataWarnings } = hasCompiled
    ? { below: toBase(first), dataWarnings: [] }
    : base === undefined && dataFolder !== undefined
      ? await openDownloadedBase(dataFolder)
      : { below: base ?? builtInCatalogue, dataWarnings: [] };
  return { below, own, dataWarnings, key: keyOf(below, own) };
}

/** What needs no compiling: a compiled file as it is, or a stored catalogue. */
export async function findCompiled(reading: Reading, options: OpenOptions): Promise<OpenedCatalogue | undefined> {
  const { below, own, key } = reading;
  if (own.length === 0) {
    const isStored = below.bytes !== undefined && options.storesCompiled === true;
    const path = isStored ? await writeCache(options.cache, below.digest, below.bytes) : undefined;
    return { file: toCatalogueFile(reading, below.detector.catalogue, path, []), detector: below.detector };
  }
  const cached = await readCache(options.cache, key);
  if (cached === undefined) return undefined;
  const { path, catalogue, warnings } = cached;
  return { file: toCatalogueFile(reading, catalogue, path, warnings), detector: createDetector(catalogue) };
}

/** Describes a catalogue. Its warnings have the places of files as toPlace writes them. */
export function toCatalogueFile(
  { below, own, dataWarnings }: Reading,
  { version, entries }: Pick<CompiledCatalogue, "version" | "entries">,
  path: string | undefined,
  ownWarnings: readonly string[],
): CatalogueFile {
  const { changedAt } = below;
  return { path, version, entries, warnings: withPaths(ownWarnings, own), dataWarnings, changedAt };
}

/** Stands for the path of a file, which may be another one when a stored catalogue is found again. No YAML has NUL. */
export function toPlace(index: number): string {
  return `\0${index}\0`;
}

/** Sentences with the paths of files in their places. */
export function withPaths(sentences: readonly string[], own: readonly OwnFile[]): string[] {
  return sentences.map((sentence) => sentence.replace(/\0(\d+)\0/g, (_, index) => own[Number(index)]?.path ?? ""));
}

/** The downloaded data in a data folder, or this program's data; a warning says why downloaded data are not used, or are old. */
export async function openDownloadedBase(
  dataFolder: string,
): Promise<{ readonly below: BaseCatalogue; readonly dataWarnings: readonly string[] }> {
  const stored = await readStored(dataFolder, "current");
  if (stored === undefined) return { below: builtInCatalogue, dataWarnings: [] };
  const { data, problem } = stored;
  if (data === undefined) {
    const warning = `The downloaded data cannot be used; the program's data are in use: ${dataPath(dataFolder, "current")}: ${problem}`;
    return { below: builtInCatalogue, dataWarnings: [warning] };
  }
  if (data.changedAt >= (builtInCatalogue.changedAt ?? 0)) return { below: data.base, dataWarnings: [] };
  const warning = `The downloaded data of ${data.manifest.date} are older than the program's data. The downloaded data stay in use until their publisher offers newer ones, or until whocrawls update --rollback.`;
  return { below: data.base, dataWarnings: [warning] };
}

async function readOwn(file: string | OwnSource): Promise<OwnFile> {
  const own = await readBytes(file);
  if (!isCompiled(own) && own.bytes.length > mostYamlBytes)
    throw new CatalogueError([`${own.path}: ${sizeProblem(own.bytes.length, mostYamlBytes)} in YAML`]);
  return own;
}

function sizeProblem(size: number, most: number): string {
  return `it has ${toCount(size)} bytes; at most ${toCount(most)} are allowed`;
}

function toCount(value: number): string {
  return value.toLocaleString("en");
}

async function readBytes(file: string | OwnSource): Promise<OwnFile> {
  if (typeof file !== "string") return { path: file.path, bytes: new TextEncoder().encode(file.text) };
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) throw new Error("it is a folder");
    // Reading a pipe would wait for ever, and a device has no end.
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > mostBytes) throw new Error(sizeProblem(stats.size, mostBytes));
    return { path: file, bytes: await readFile(file) };
  } catch (error) {
    throw new CatalogueError([`${file}: it cannot be read: ${toFileProblem(error)}`]);
  }
}

/** Whether a file is a compiled catalogue, of whatever format. */
export function isCompiled({ bytes }: OwnFile): boolean {
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
  for (const { bytes } of own) hash.update(`,${bytes.length},`).update(bytes);
  return hash.digest("hex");
}
