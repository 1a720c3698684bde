/**
 * Loaded into a server before its program: at SIGUSR2 it begins to measure the delay of the event loop, and at the next one it writes the
 * figures, in milliseconds, to the file that LOOP_DELAY_FILE names. Node's delays contain the timer's millisecond.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;

process.on("SIGUSR2", () => {
  if (histogram === undefined) {
    histogram = monitorEventLoopDelay({ resolution: 1 });
    histogram.enable();
    return;
  }
  histogram.disable();
  const [p50, p99, max] = [histogram.percentile(50), histogram.percentile(99), histogram.max].map((ns) => ns / 1e6);
  histogram = undefined;
  const file = process.env.LOOP_DELAY_FILE as string;
  writeFileSync(`${file}.part`, JSON.stringify({ p50, p99, max }));
  renameSync(`${file}.part`, file);
});
