/** Reads the files of a catalogue: own ones (YAML), of which the first may be a compiled one. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { DataError } from "../compiler/sources/data-error.ts";
import { digest as builtInDigest, version as builtInVersion } from "../generated/about.ts";
import { toReadProblem } from "../text/errors.ts";

/** A compiled catalogue has one or two million. */
const maxBytes = 20_000_000;
/** Parsing YAML takes a hundred times its size in memory. A thousand crawlers need less than a tenth of this limit. */
const maxYamlBytes = 2_000_000;

export interface CustomFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The files of a catalogue. */
export interface CustomFiles {
  /** The compiled catalogue below the others; absent: the one in this package. */
  readonly compiled?: CustomFile | undefined;
  readonly own: readonly CustomFile[];
  /** A hash of all contents and of the program version, because another version may compile them differently. */
  readonly digest: string;
  /** A hash of that and of the paths, because warnings name the paths. */
  readonly key: string;
}

/** Reads the files; rejects with a DataError. */
export async function readCustomFiles(paths: readonly string[]): Promise<CustomFiles> {
  return joinFiles(await Promise.all(paths.map(readCustomFile)));
}

/** Files as a catalogue; throws a DataError. */
export function joinFiles(files: readonly CustomFile[]): CustomFiles {
  const [first, ...others] = files;
  const misplaced = others.find(isCompiled);
  if (misplaced !== undefined)
    throw new DataError([`${misplaced.path}: only one compiled catalogue is allowed, and it must come first`]);
  const hash = createHash("sha256").update(JSON.stringify([builtInVersion, builtInDigest]));
  for (const { bytes } of files) hash.update(`,${bytes.length},`).update(bytes);
  const digest = hash.digest("hex");
  const key = createHash("sha256")
    .update(JSON.stringify([digest, files.map(({ path }) => path)]))
    .digest("hex");
  const isOnCompiled = first !== undefined && isCompiled(first);
  return { compiled: isOnCompiled ? first : undefined, own: isOnCompiled ? others : files, digest, key };
}

async function readCustomFile(path: string): Promise<CustomFile> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new Error("it is a folder");
    // Reading a pipe could block forever, and a device never ends.
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > maxBytes) throw new Error(sizeProblem(stats.size, maxBytes));
    return checkSize({ path, bytes: await readFile(path) });
  } catch (error) {
    throw new DataError([`${path}: cannot be read: ${toReadProblem(error)}`]);
  }
}

/** Throws an Error for too much YAML. */
export function checkSize(file: CustomFile): CustomFile {
  if (!isCompiled(file) && file.bytes.length > maxYamlBytes)
    throw new Error(`${sizeProblem(file.bytes.length, maxYamlBytes)} in YAML`);
  return file;
}

function sizeProblem(size: number, most: number): string {
  return `it has ${size.toLocaleString("en")} bytes; at most ${most.toLocaleString("en")} are allowed`;
}

/** Whether a file is a compiled catalogue, of whatever format. */
export function isCompiled({ bytes }: CustomFile): boolean {
  return Buffer.from(bytes.subarray(0, 3)).toString("latin1") === "WCC";
}
