/** What /proc tells about processes; Linux only. */
import { readFileSync, writeFileSync } from "node:fs";

/** User and system time of a process until now, of all threads, ended threads included. */
export function cpuSecondsOf(pid: number): number {
  const fields = fieldsOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The fields of /proc/PID/stat after the name of the program; empty for a process that is gone. */
function fieldsOf(pid: number | string): string[] {
  return readOf(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");
}

/** Resident memory; 0 for a process that is gone. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readOf(pid, "status"))?.[1] ?? 0) * 1024;
}

/** Begins to watch the resident memory of a process; the result tells how far it rose above its begin. */
export function watchPeak(pid: number): () => number {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = residentBytes(pid);
  return () => Number(/VmHWM:\s+(\d+)/.exec(readOf(pid, "status"))?.[1] ?? 0) * 1024 - before;
}

function readOf(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
