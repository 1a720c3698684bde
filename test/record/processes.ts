/** Starting recording-process.ts under the runtime that runs the test, and reading what it reports. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RecordStatus } from "../../src/record/record.ts";
import { until } from "../support/until.ts";

interface Report {
  readonly status?: RecordStatus;
  readonly closed?: { readonly lost: number };
}

interface RecordingOptions {
  /** How many notes it makes before it ends; without end when absent. */
  readonly most?: number;
  /** Whose rights it has. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** Starts a process that records at `place`. */
export function startRecording(place: string, { most = Infinity, user }: RecordingOptions = {}) {
  const program = fileURLToPath(new URL("./recording-process.ts", import.meta.url));
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [program, place, String(most)], { stdio: [...stdio], cwd: "/", ...user });
  const reports: Report[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => reports.push(JSON.parse(line)));
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    last: () => reports.at(-1)!,
    /** Resolves with the first report, past or future, for which `what` holds. */
    until: (what: (report: Report) => boolean) =>
      until(
        () => reports.find(what),
        () => `its last report is ${JSON.stringify(reports.at(-1))}`,
        child,
      ),
    /** Sends the signal and resolves when the process is gone. */
    async end(signal: NodeJS.Signals) {
      child.kill(signal);
      await gone;
    },
  };
}
