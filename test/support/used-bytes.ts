/** Measuring the memory that is in use, in either runtime. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = process.versions.bun ? () => Bun.gc(true) : (runInNewContext("gc") as () => void);

/** What is in the heap after a collection, and outside of it for what is in it. */
export function usedBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
