/**
 * Compiles wasm/scan-lines.ts, which is AssemblyScript, to the module that src/scan/count/ holds. Run `bun test/scan/compile-scan-lines.ts`
 * after a change of the source, or of the compiler's version; scan-lines-module.test.ts fails until then.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main } from "assemblyscript/asc";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = "wasm/scan-lines.ts";
/** The source lays out the memory: it takes 61 pages of 64 KiB with a block of 512 KiB. */
const options =
  "--optimizeLevel 3 --converge --noAssert --enable simd --runtime stub --memoryBase 64 --initialMemory 61 --use abort=";

/** The module in Base64; throws an Error with the compiler's words. */
export async function compileScanLines(): Promise<string> {
  let bytes = new Uint8Array(0);
  const { error, stderr } = await main([source, "--outFile", "scan-lines.wasm", ...options.split(" ")], {
    readFile: (name) => (name === source ? readFileSync(`${root}${source}`, "utf8") : null),
    writeFile: (_, content) => {
      bytes = content as Uint8Array<ArrayBuffer>;
    },
  });
  if (error !== null) throw new Error(`${source}: ${stderr.toString()}`);
  return Buffer.from(bytes).toString("base64");
}

if (import.meta.main)
  writeFileSync(
    `${root}src/scan/count/scan-lines-module.ts`,
    `/** ${source} as WebAssembly, in Base64. Written by test/scan/compile-scan-lines.ts; do not edit. */
export const scanLines =\n  "${await compileScanLines()}";\n`,
  );
