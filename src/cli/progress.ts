/** A progress bar on a terminal, and nothing of it anywhere else: how far, how fast, how long. */
import { toPlain } from "../text/plain-text.ts";

/** Shows how a long command gets on. */
export interface Progress {
  /** Bytes read, and lines, since the start. */
  readonly update: (bytes: number, lines: number) => void;
  /** A message on a line of its own. */
  readonly say: (message: string) => void;
  /** Takes the bar away. */
  readonly end: () => void;
}

const width = 30;
const redrawMs = 100;
const clearLine = "\r\u001b[K";

/** Writes to standard error; `totalBytes` is undefined if the total is unknown. */
export function createProgress(totalBytes: number | undefined): Progress {
  const isShown = process.stderr.isTTY === true;
  const started = performance.now();
  let drawn = started;
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) process.stderr.write(clearLine);
    isDrawn = false;
  };
  return {
    update(bytes, lines) {
      const now = performance.now();
      if (!isShown || now - drawn < redrawMs) return;
      drawn = now;
      isDrawn = true;
      process.stderr.write(clearLine + toBar(bytes, lines, (now - started) / 1000, totalBytes));
    },
    say(message) {
      clear();
      // Lines of logs and names of files come from anyone.
      process.stderr.write(`whocrawls scan: ${toPlain(message)}\n`);
    },
    end: clear,
  };
}

function toBar(bytes: number, lines: number, seconds: number, totalBytes: number | undefined): string {
  const rate = `${Math.round(lines / seconds).toLocaleString("en")} lines/s`;
  const megabytes = (bytes / 1e6).toFixed(0);
  if (totalBytes === undefined || totalBytes === 0) return `${megabytes} MB  ${rate}`;
  const done = Math.min(1, bytes / totalBytes);
  const filled = Math.round(done * width);
  const left = done > 0 ? Math.ceil((seconds * (1 - done)) / done) : 0;
  const bar = "█".repeat(filled) + "░".repeat(width - filled);
  return `${bar} ${(done * 100).toFixed(0)} %  ${megabytes} of ${(totalBytes / 1e6).toFixed(0)} MB  ${rate}  ${toClock(left)} left`;
}

function toClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
