/** What /proc tells about processes; Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) \S /, "")
        .split(" ")[0],
    );
  } catch {
    return 0;
  }
}

/** Resident memory; 0 for a process that is gone. */
export function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Begins to watch how much of the processors' time a hypervisor gives to other machines; what is returned tells it. */
export function stolenShare(): () => number {
  const read = () => {
    const times = (/^cpu +(.*)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? "").split(" ").map(Number);
    return { stolen: times[7] ?? 0, all: times.slice(0, 8).reduce((sum, time) => sum + time, 0) };
  };
  const before = read();
  return () => (read().stolen - before.stolen) / (read().all - before.all);
}
