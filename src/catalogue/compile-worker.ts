/**
 * The process that compiles a modified catalogue: what it is asked for comes in on standard input, the compiled file goes out on
 * standard output. A process of its own, because compiling takes a hundred megabytes, which this returns to the system.
 */
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { compileModified, type LoadedSources, type Modification } from "../compiler/own/modify.ts";
import { DataError } from "../compiler/sources/data-error.ts";
import { encodeCatalogue } from "../detect/file/catalogue-file.ts";

/** What it is asked for. */
export interface CompileTask {
  readonly modification: Modification;
  readonly sources: LoadedSources;
}

/** The exit code for data that cannot be compiled; standard error has the problems then, as JSON. */
export const wrongData = 3;

/** Node has the function with --expose-gc, Bun has its own. */
const { gc, Bun: bun } = globalThis as { gc?: () => void; Bun?: { gc(isNow: boolean): void } };
const collectGarbage = (): void => (bun ? bun.gc(true) : gc?.());

// Where memory ends, this process is to be stopped, not the service that waits for it.
try {
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // Not Linux.
}
try {
  const { modification, sources } = JSON.parse(readFileSync(0, "utf8")) as CompileTask;
  const facts = { wellKnown: [], verification: { proofs: [], ranges: {} } };
  const bytes = encodeCatalogue(compileModified(sources, modification, facts, collectGarbage));
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  writeSync(2, JSON.stringify(error.problems));
  process.exitCode = wrongData;
}
