/** Compiles a modified catalogue in a process of its own, within little memory, or says why that is not possible here. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { buffer, text } from "node:stream/consumers";
import type { Modification } from "../compiler/own/modify.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { parseCatalogueFile } from "../detect/file/catalogue-file.ts";
import { CatalogueError } from "./catalogue-error.ts";
import { findPackagedFile } from "./find-packaged-file.ts";
import { memoryLeft } from "./memory-left.ts";

/** What the process takes at most, and a reserve. */
const neededBytes = 170_000_000;
const wrongData = 3;

/** Small heaps: both runtimes would rather take more memory than tidy up. */
const isBun = process.versions.bun !== undefined;
const flags = isBun
  ? ["--smol"]
  : ["--expose-gc", "--max-old-space-size=56", "--max-semi-space-size=1", "--optimize-for-size", "--single-threaded"];
const environment = isBun
  ? {
      BUN_JSC_forceRAMSize: "20000000",
      BUN_JSC_useFTLJIT: "0",
      BUN_JSC_useConcurrentJIT: "0",
      BUN_JSC_useConcurrentGC: "0",
      BUN_JSC_numberOfGCMarkers: "1",
    }
  : { NODE_OPTIONS: "" };

/** Compiles `sources`, JSON of LoadedSources. Rejects with CatalogueError for wrong data and too little memory. */
export async function compileInProcess(
  modification: Modification,
  sources: string,
  left = memoryLeft(),
): Promise<CompiledCatalogue> {
  if (left < neededBytes)
    throw tooLittle(
      `${Math.round(neededBytes / 1e6)} MB are needed and ${Math.max(0, Math.round(left / 1e6))} MB are left`,
    );
  const worker = findPackagedFile("./compile-worker.ts", "compile-worker.js");
  const child = spawn(process.execPath, [...flags, worker], {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A process that ends early closes its input.
  child.stdin.on("error", () => {});
  child.stdin.end(`{"modification":${JSON.stringify(modification)},"sources":${sources}}`);
  const [bytes, said, [code, signal]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  if (code === 0) return parseCatalogueFile(bytes);
  if (code === wrongData) throw new CatalogueError(JSON.parse(said) as string[]);
  if (signal === "SIGKILL" || signal === "SIGABRT" || /out of memory|heap limit/i.test(said))
    throw tooLittle("the system has stopped the process that compiles");
  throw new Error(`The process that compiles the catalogue ended with ${code ?? signal}: ${said.slice(0, 2000)}`);
}

function tooLittle(why: string): CatalogueError {
  return new CatalogueError([
    `people:, remove: and rules: compile the whole catalogue, and there is too little memory for that here: ${why}. ` +
      "Compile it on another machine, whocrawls compile --catalogue own.yaml -o own.catalogue, and use that file as the catalogue.",
  ]);
}
