/**
 * `npm run busy`: `npm test` beside four busy loops a core, with the same arguments. Tests that wait for a time instead of a state fail here
 * first. The loops are threads of this process, so they end with it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const loops = 4 * availableParallelism();
for (let loop = 0; loop < loops; loop++) new Worker("for (;;);", { eval: true });
console.log(`beside ${loops} busy loops`);
const run = fileURLToPath(new URL("run.ts", import.meta.url));
const tests = spawn(process.execPath, [run, ...process.argv.slice(2)], { stdio: "inherit" });
const [code] = await once(tests, "close");
process.exit(code ?? 1);
