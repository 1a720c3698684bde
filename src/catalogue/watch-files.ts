/**
 * Notices changes of files by asking about them once a second: that works on every file system, for editors that replace files,
 * and for the links that Kubernetes exchanges.
 */
import { type Stats, unwatchFile, watchFile } from "node:fs";

const intervalMs = 1000;

/** The same for the same content that was not touched. */
const compared = ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const;

export interface FileWatch {
  /** Begins to report changes; the first is one since the watch was made. */
  start(): void;
  stop(): void;
}

/** Calls `changed` when any of the files has changed and then rested for a second. Holds no process open. */
export function watchFiles(files: readonly string[], changed: () => void): FileWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStarted = false;
  let hasChanged = false;
  const report = (): void => {
    hasChanged = true;
    if (isStarted) changed();
  };
  const notice = (now: Stats, before: Stats): void => {
    // Also called for a file that is missing at the beginning, and for one that was only read.
    if (compared.every((member) => now[member] === before[member])) return;
    clearTimeout(timer);
    timer = setTimeout(report, intervalMs).unref();
  };
  for (const file of files) watchFile(file, { interval: intervalMs, persistent: false }, notice);
  return {
    start() {
      isStarted = true;
      if (hasChanged) changed();
    },
    stop() {
      for (const file of files) unwatchFile(file, notice);
      clearTimeout(timer);
    },
  };
}
