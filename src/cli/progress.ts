/** A progress bar with position, speed and remaining time; shown only on a terminal. */
import { toPlain } from "../text/plain-text.ts";

/** Shows the progress of a long command. */
export interface Progress {
  /** Bytes read, and lines, since the start. */
  readonly update: (bytes: number, lines: number) => void;
  /** A message on a line of its own. */
  readonly say: (message: string) => void;
  /** Removes the bar. */
  readonly end: () => void;
}

const maxBarWidth = 30;
const minBarWidth = 5;
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
      const bar = toBar(bytes, lines, (now - started) / 1000, totalBytes, process.stderr.columns || 80);
      process.stderr.write(clearLine + bar);
    },
    say(message) {
      clear();
      // Log lines and file names are untrusted.
      process.stderr.write(`whocrawls scan: ${toPlain(message)}\n`);
    },
    end: clear,
  };
}

/** One line that is shorter than the terminal, `columns` wide: a longer one would wrap and could not be erased. */
export function toBar(
  bytes: number,
  lines: number,
  seconds: number,
  totalBytes: number | undefined,
  columns: number,
): string {
  const rate = `${Math.round(lines / seconds).toLocaleString("en")} lines/s`;
  const megabytes = (bytes / 1e6).toFixed(0);
  if (totalBytes === undefined || totalBytes === 0) return joinWithin(columns, [`${megabytes} MB`, rate]);
  const done = Math.min(1, bytes / totalBytes);
  const left = done > 0 ? Math.ceil((seconds * (1 - done)) / done) : 0;
  const parts = [
    `${(done * 100).toFixed(0)}%`,
    `${toClock(left)} left`,
    `${megabytes} of ${(totalBytes / 1e6).toFixed(0)} MB`,
  ];
  const text = joinWithin(columns, [...parts, rate]);
  const width = Math.min(maxBarWidth, columns - text.length - 2);
  const filled = Math.round(done * width);
  return width < minBarWidth ? text : `${"█".repeat(filled)}${"░".repeat(width - filled)} ${text}`;
}

/** As many of the first parts as fit. */
function joinWithin(columns: number, parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    const longer = text === "" ? part : `${text}  ${part}`;
    return longer.length < columns ? longer : text;
  }, "");
}

function toClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
