/**
 * Runs a task about catalogues in a process of its own (catalogue-process-main.ts): compiling blocks no request, and its memory
 * returns to the system. Here are the tasks, their results, and what the end of the process means.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { findPackagedFile } from "../files/find-packaged-file.ts";
import type { CacheFolders } from "./catalogue-cache.ts";
import { CatalogueError, UpdateError } from "./errors.ts";

/** An own catalogue: its text, and the path that errors name. */
export interface OwnSource {
  readonly path: string;
  readonly text: string;
}

/** The files to open. */
export interface OpenOptions {
  /** Own catalogues, of which later ones take precedence; the first may be the path of a compiled catalogue instead. */
  readonly files: readonly (string | OwnSource)[];
  readonly cache: CacheFolders;
  /** The folder whose downloaded data replace the catalogue of the package; absent: none do. */
  readonly dataFolder?: string;
  /** Whether a compiled file that is used as it is, is stored, too: for processes that read it later. */
  readonly storesCompiled?: boolean;
}

/** An opened catalogue, for every process: its file never changes. */
export interface CatalogueFile {
  /** Absent: the catalogue of this package, or a compiled file that was not stored. */
  readonly path?: string | undefined;
  readonly version: string;
  readonly entries: number;
  /** What the author of an own catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
  /** Why downloaded data are not used, or not the newest, a sentence each. */
  readonly dataWarnings: readonly string[];
  /** When the data below own catalogues were changed, in milliseconds since 1970; absent if that is not known. */
  readonly changedAt?: number | undefined;
}

/** The data folder of an update, and the own catalogues that must fit its data. */
export type FolderOptions = Pick<OpenOptions, "files" | "cache"> & { readonly dataFolder: string };

export interface UpdateOptions extends FolderOptions {
  /** An https:// address, or the path of a file; the signature is beside it. */
  readonly from: string;
  /** Public keys of minisign: texts, or the paths of files. */
  readonly keys: readonly string[];
  /** Checks everything and replaces nothing. */
  readonly isDryRun?: boolean;
}

/** What the process is asked for. */
export type CatalogueTask =
  | { readonly type: "open"; readonly options: OpenOptions }
  | { readonly type: "update"; readonly options: UpdateOptions }
  | { readonly type: "rollback"; readonly options: FolderOptions };

/** Catalogues before and after an update, with the own ones over them. */
export interface DataChange {
  readonly before: CatalogueFile;
  readonly after: CatalogueFile;
  /** What the signer says of new data. */
  readonly comment?: string;
}

/** The results by the type of the task. */
export interface TaskResults {
  readonly open: CatalogueFile;
  /** Absent: there are no newer data. */
  readonly update: DataChange | undefined;
  readonly rollback: DataChange;
}

/** A line on the standard output of the process. */
export type ProcessMessage =
  | { readonly type: "compiling" }
  | { readonly type: "done"; readonly result?: unknown }
  | { readonly type: "wrong"; readonly problems: readonly string[] }
  | { readonly type: "refused"; readonly reason: string };

export interface ProcessHooks {
  /** Kills the process when it aborts. */
  readonly signal?: AbortSignal;
  /** Called when compiling begins, and with its seconds when the process has ended. */
  readonly onCompile?: (seconds?: number) => void;
}

/** Node takes a third less memory with a small space for new objects, and tidies up between steps with the function `gc`. */
const flags = process.versions.bun === undefined ? ["--max-semi-space-size=4", "--expose-gc"] : [];

/** A whole catalogue compiles in seconds, on a busy machine in a minute. */
const timeoutMs = 300_000;

/** Runs a task; rejects with a CatalogueError or an UpdateError. */
export async function runInProcess<Task extends CatalogueTask>(
  task: Task,
  { signal, onCompile }: ProcessHooks = {},
): Promise<TaskResults[Task["type"]]> {
  const main = findPackagedFile("catalogue/catalogue-process-main.ts", "catalogue-process-main.js");
  const ending = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  const child = spawn(process.execPath, [...flags, main], { stdio: ["pipe", "pipe", "pipe"] });
  const kill = () => void child.kill("SIGKILL");
  ending.addEventListener("abort", kill, { once: true });
  // A process that ends early closes its input.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(task));
  let startedMs: number | undefined;
  let last: ProcessMessage | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    last = JSON.parse(line) as ProcessMessage;
    if (last.type !== "compiling") return;
    startedMs = performance.now();
    onCompile?.();
  });
  const [said, [code, killedBy]] = await Promise.all([
    text(child.stderr),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  ending.removeEventListener("abort", kill);
  if (startedMs !== undefined) onCompile?.((performance.now() - startedMs) / 1000);
  signal?.throwIfAborted();
  if (last?.type === "done") return last.result as TaskResults[Task["type"]];
  if (last?.type === "wrong") throw new CatalogueError(last.problems);
  if (last?.type === "refused") throw new UpdateError(last.reason);
  if (ending.aborted) throw failed(`did not end within ${timeoutMs / 1000} s`);
  if (/heap out of memory|heap limit/i.test(said)) throw failed("has no room left: the catalogue is too large");
  throw failed(
    killedBy === null ? `ended with code ${code}: ${said.slice(-2000).trim()}` : `was killed by ${killedBy}`,
  );
}

function failed(how: string): CatalogueError {
  return new CatalogueError([`The process that compiles the catalogue ${how}.`]);
}
