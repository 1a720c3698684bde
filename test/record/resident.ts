/** Measuring what stays in memory, in either runtime. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Resident memory after a collection. */
export async function residentBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    if (process.versions.bun) Bun.gc(true);
    else collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage.rss();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
