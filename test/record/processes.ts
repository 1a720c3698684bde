/** Starting recording-process.ts under the runtime that runs the test, and reading what it reports. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RecordStatus } from "../../src/record/record.ts";

export interface Report {
  /** Ms since 1970. */
  readonly at: number;
  /** Strings noted up to then. */
  readonly noted: number;
  /** Searches that ended. */
  readonly searched: number;
  readonly status?: RecordStatus;
  readonly closed?: { readonly lost: number };
}

export interface RecordingProcess {
  readonly child: ChildProcess;
  readonly reports: Report[];
  /** Resolves with the first report, past or future, for which `what` holds. */
  until(what: (report: Report) => boolean, timeoutMs?: number): Promise<Report>;
  /** Sends the signal and resolves when the process is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export interface RecordingOptions {
  /** How many notes it makes before it ends; without end when absent. */
  readonly most?: number;
  /** How many searches it runs all the time. */
  readonly searches?: number;
  /** Whose rights it has. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** Starts a process that records at `place`. */
export function startRecording(
  place: string,
  { most = Infinity, searches = 0, user }: RecordingOptions = {},
): RecordingProcess {
  const program = fileURLToPath(new URL("./recording-process.ts", import.meta.url));
  const args = [program, place, String(most), String(searches)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], cwd: "/", ...user });
  const reports: Report[] = [];
  const heard = new Set<() => void>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    reports.push(JSON.parse(line));
    for (const hear of heard) hear();
  });
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    child,
    reports,
    until(what, timeoutMs = 30_000) {
      return new Promise((resolve, reject) => {
        const done = (end: () => void) => {
          heard.delete(hear);
          clearTimeout(timer);
          end();
        };
        const hear = () => {
          const found = reports.find(what);
          if (found) done(() => resolve(found));
        };
        const failure = () => new Error(`${what} never came; the last report: ${JSON.stringify(reports.at(-1))}`);
        const timer = setTimeout(() => done(() => reject(failure())), timeoutMs);
        heard.add(hear);
        hear();
      });
    },
    async end(signal = "SIGTERM") {
      child.kill(signal);
      await gone;
    },
  };
}

/** How many notes a process had made a second before its last report, which is before it was killed. */
export function notedASecondBefore({ reports }: RecordingProcess): number {
  const last = reports.at(-1)!;
  return reports.findLast(({ at }) => at < last.at - 1000)!.noted;
}
