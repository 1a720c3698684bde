/** Compiles wasm/scan-lines.ts, which is AssemblyScript, to WebAssembly. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { main } from "assemblyscript/asc";

const root = fileURLToPath(new URL("..", import.meta.url));
/** What the memory holds is in the source; it takes so many pages of 64 KiB with a block of 512 KiB. */
const pages = 61;

/** The module's bytes; throws an Error with what the compiler says. */
export async function compileWasm(): Promise<Uint8Array> {
  let bytes = new Uint8Array(0);
  const { error, stderr } = await main(
    [
      ...["wasm/scan-lines.ts", "--outFile", "scan-lines.wasm", "--optimizeLevel", "3", "--converge", "--noAssert"],
      ...[
        "--enable",
        "simd",
        "--runtime",
        "stub",
        "--memoryBase",
        "64",
        "--initialMemory",
        `${pages}`,
        "--use",
        "abort=",
      ],
    ],
    {
      readFile: (name) => (name === "wasm/scan-lines.ts" ? readFileSync(`${root}${name}`, "utf8") : null),
      writeFile: (_, content) => {
        bytes = content as Uint8Array<ArrayBuffer>;
      },
    },
  );
  if (error !== null) throw new Error(`wasm/scan-lines.ts: ${stderr.toString()}`);
  return bytes;
}
