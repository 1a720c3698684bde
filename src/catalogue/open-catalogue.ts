/** Opens a catalogue from files: custom catalogues (YAML), laid over the package's catalogue or over a compiled file. */
import { layCustom } from "../compiler/custom/lay-custom.ts";
import { decidingTables } from "../compiler/custom/overlay.ts";
import { DataError } from "../compiler/sources/data-error.ts";
import { detector as builtIn } from "../detect/built-in/detector.ts";
import { createDetector } from "../detect/create-detector.ts";
import type { Detector } from "../detect/verdict.ts";
import { withMembers } from "../detect/with-members.ts";
import { changedAt as builtInChangedAt } from "../generated/about.ts";
import { browserStrings } from "../generated/browser-strings.ts";
import { inSlices } from "../http/event-loop-turns.ts";
import { finish } from "../pattern/finish.ts";
import { encodeCompiledFile, parseFile } from "./compiled-file.ts";
import { type CustomFile, type CustomFiles, joinFiles, readCustomFiles } from "./custom-files.ts";

/** Requests should wait at most 10 ms for a reload, and its last step in a slice can take several milliseconds longer than the slice. */
export const reloadSliceMs = 2;

/** What an opened catalogue was made from. */
export interface CatalogueFile {
  /** A hash of the files and of the program: the same key is the same catalogue. */
  readonly key: string;
  /** What the author of a custom catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
  /** When the public data in it were changed, in milliseconds since 1970; absent if that is not known. */
  readonly changedAt?: number | undefined;
}

/** An opened catalogue. */
export interface OpenedCatalogue {
  readonly file: CatalogueFile;
  readonly detector: Detector;
}

/**
 * Opens a catalogue, later files over earlier ones; the first may be a compiled one. Rejects with a DataError that names every problem
 * with file and line, or with the reason of `signal`.
 */
export async function openCatalogue(files: readonly string[], signal?: AbortSignal): Promise<OpenedCatalogue> {
  return openFiles(await readCustomFiles(files), signal);
}

/** The same of custom catalogues that have been read. */
export function openTexts(files: readonly CustomFile[]): Promise<OpenedCatalogue> {
  return openFiles(joinFiles(files));
}

async function openFiles({ compiled, own, key, digest }: CustomFiles, signal?: AbortSignal): Promise<OpenedCatalogue> {
  const { detector, changedAt } = compiled === undefined ? builtInCatalogue : openCompiled(compiled);
  if (own.length === 0) return { file: { key, warnings: [], changedAt }, detector };
  const files = own.map((file) => ({ path: file.path, text: toText(file) }));
  // A service that reloads it serves others meanwhile, and also serves the expression.
  const needsExpression = signal !== undefined;
  const versionSuffix = `.own.${digest.slice(0, 8)}`;
  const options = { base: detector, versionSuffix, browsers: browserStrings, needsExpression };
  const steps = layCustom(files, options);
  const laid = signal === undefined ? finish(steps) : await inSlices(steps, { signal, sliceMs: reloadSliceMs });
  return { file: { key, warnings: laid.warnings, changedAt }, detector: laid.detector };
}

const builtInCatalogue = { detector: builtIn, changedAt: builtInChangedAt };

/** A compiled file; whoever compiled it has already seen its warnings. */
function openCompiled(file: CustomFile) {
  const { catalogue, changedAt } = parseFile(file);
  return { detector: createDetector(catalogue), changedAt };
}

/** Writes an opened catalogue as a compiled file, with automata for what custom catalogues have changed: building them takes seconds. */
export function compileOpened({ detector: { catalogue }, file }: OpenedCatalogue): Uint8Array {
  const { changedAt } = file;
  if (catalogue.overlay === undefined) return encodeCompiledFile({ catalogue, changedAt });
  const deciding = finish(decidingTables(catalogue, browserStrings));
  return encodeCompiledFile({ catalogue: withMembers(catalogue, { deciding }), changedAt });
}

function toText({ path, bytes }: CustomFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new DataError([`${path}: the file is not UTF-8`]);
  }
}
