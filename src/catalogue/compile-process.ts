/**
 * Compiles in a child process, `whocrawls compile`, which does not block requests and returns its memory to the system. Only its exit code
 * its standard error and the file it writes are read.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { findPackagedFile } from "../files/find-packaged-file.ts";
import { CatalogueError } from "./errors.ts";

export interface CompileHooks {
  /** Kills the process when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Called when compiling begins, and with its seconds when the process has ended. */
  readonly onCompile?: ((seconds?: number) => void) | undefined;
}

/** Node needs a third less memory with a small young generation and with garbage collection (`gc`) between steps. */
const flags = process.versions.bun === undefined ? ["--max-semi-space-size=4", "--expose-gc"] : [];

/** A whole catalogue compiles in seconds, on a busy machine in a minute. */
const timeoutMs = 300_000;

/** Compiles custom catalogues to the file `target`; rejects with a CatalogueError, or with the reason of `signal`. */
export async function compileInProcess(
  files: readonly string[],
  target: string,
  { signal, onCompile }: CompileHooks = {},
): Promise<void> {
  const program = findPackagedFile("cli/main.ts", "main.js");
  const args = ["compile", ...files.map((file) => `--catalogue=${file}`), "-o", target];
  const ending = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  onCompile?.();
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...flags, program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const kill = () => void child.kill("SIGKILL");
  ending.addEventListener("abort", kill, { once: true });
  preferToStop(child.pid);
  const [said, [code, killedBy]] = await Promise.all([
    text(child.stderr),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  ending.removeEventListener("abort", kill);
  onCompile?.((performance.now() - startedMs) / 1000);
  signal?.throwIfAborted();
  if (code === 0) return;
  // The catalogue is wrong, and each line names a problem.
  if (code === 2) throw new CatalogueError(said.trimEnd().split("\n"));
  if (ending.aborted) throw failed(`did not finish within ${timeoutMs / 1000} s`);
  if (/heap out of memory|heap limit/i.test(said)) throw failed("ran out of memory: the catalogue is too large");
  throw failed(
    killedBy === null ? `exited with code ${code}: ${said.slice(-2000).trim()}` : `was killed by ${killedBy}`,
  );
}

/** If memory runs out, the system should kill this process, not the service that waits for it. */
function preferToStop(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // Not Linux, or the process has exited.
  }
}

function failed(how: string): CatalogueError {
  return new CatalogueError([`The process that compiles the catalogue ${how}.`]);
}
