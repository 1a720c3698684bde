/** How much memory a process may still take: a container is stopped if it takes more than it may. */
import { readFileSync } from "node:fs";
import { freemem } from "node:os";

/** The files of control groups, of version 2 and 1: the limit, what is used, and what of it can be given back. */
const groups = [
  { limit: "memory.max", used: "memory.current", folder: "/sys/fs/cgroup" },
  { limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", folder: "/sys/fs/cgroup/memory" },
] as const;

/** In bytes. `root` is where the system's files are. */
export function memoryLeft(root = ""): number {
  const ofMachine = numberAt(`${root}/proc/meminfo`, /^MemAvailable:\s+(\d+) kB$/m);
  const left = [ofMachine === undefined ? freemem() : ofMachine * 1024];
  for (const { folder, limit, used } of groups) {
    const most = numberAt(`${root}${folder}/${limit}`, /^(\d+)/);
    const taken = numberAt(`${root}${folder}/${used}`, /^(\d+)/);
    // Files that were read are kept in memory as long as there is room.
    const files = numberAt(`${root}${folder}/memory.stat`, /^(?:total_)?inactive_file (\d+)$/m) ?? 0;
    if (most !== undefined && taken !== undefined) left.push(most - taken + files);
  }
  return Math.min(...left);
}

function numberAt(path: string, pattern: RegExp): number | undefined {
  try {
    const digits = pattern.exec(readFileSync(path, "utf8"))?.[1];
    return digits === undefined ? undefined : Number(digits);
  } catch {
    return undefined;
  }
}
