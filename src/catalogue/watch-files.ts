/**
 * Detects changes to files by polling once a second, which works on every file system, with editors that replace files,
 * and with the symbolic links that Kubernetes swaps.
 */
import { type Stats, unwatchFile, watchFile } from "node:fs";

const intervalMs = 1000;

/** Equal if a file was not touched. */
const compared = ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const;

export interface FileWatch {
  /** Starts reporting changes, including any since the watch was created. */
  start(): void;
  stop(): void;
}

/** Calls `changed` when any of the files has changed and then stayed unchanged for a second. Does not keep the process alive. */
export function watchFiles(files: readonly string[], changed: () => void): FileWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStarted = false;
  let hasChanged = false;
  const report = (): void => {
    hasChanged = true;
    if (isStarted) changed();
  };
  const notice = (now: Stats, before: Stats): void => {
    // Also called for a file that is missing at first, and for one that was merely read.
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
