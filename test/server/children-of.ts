/** The processes that a process has started, on Linux. */
import { readdirSync, readFileSync } from "node:fs";

export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
}

/** Undefined where the process has ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    const [parent] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) \S /, "")
      .split(" ");
    return Number(parent);
  } catch {
    return undefined;
  }
}
