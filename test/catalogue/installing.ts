/**
 * Installs one file and another in turn, for tests that kill it: `installing.ts FOLDER A B`. With a number behind, it kills itself
 * before the file operation of this number, and installs B once.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const [folder, a, b, point] = process.argv.slice(2) as [string, string, string, string | undefined];

if (point !== undefined) {
  let left = Number(point);
  const step = (): void => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
  };
  for (const name of ["mkdir", "writeFile", "rename", "rm", "readdir", "stat"] as const) {
    const real = fs[name] as (...parameters: unknown[]) => Promise<unknown>;
    Object.assign(fs, {
      [name]: async (...parameters: unknown[]) => {
        step();
        return real(...parameters);
      },
    });
  }
  syncBuiltinESMExports();
}

const { storeData } = await import("../../src/catalogue/downloaded-data.ts");
const [first, second] = [await fs.readFile(a), await fs.readFile(b)];
if (point !== undefined) {
  await storeData(folder, [
    ["current", second],
    ["previous", first],
  ]);
  process.stdout.write("done\n");
} else {
  process.stdout.write("ready\n");
  for (let at = 0; ; at++) await storeData(folder, [["current", at % 2 === 0 ? first : second]]);
}
