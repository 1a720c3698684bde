/**
 * A supervisor whose workers do what a file says. Run as a program it is the supervisor, which starts the same file as its workers.
 * The workers write down what they are told.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { StartError } from "../../src/server/start-error.ts";
import { serveWithWorkers } from "../../src/server/workers/supervisor.ts";
import { type FromWorker, isWorker, type ToWorker } from "../../src/server/workers/worker-messages.ts";

/** What workers do that are started from now on, and what the supervisor finds as its configuration. */
export interface Script {
  readonly environment?: Readonly<Record<string, string>>;
  /** The worker cannot start, and says so, or ends with a code. */
  readonly fails?: string | number;
  /** It says this right after it has started. */
  readonly says?: readonly FromWorker[];
  /** It neither gives figures nor ends. */
  readonly isStubborn?: boolean;
  /** It ends only when it is told to stop at once. */
  readonly drains?: boolean;
}

/** A message that a worker got; `start` where it is the first one. */
export interface Note {
  readonly pid: number;
  readonly message: ToWorker;
}

const folder = process.env.SCRIPT_FOLDER ?? "";
const readScript = (): Script => JSON.parse(readFileSync(join(folder, "script.json"), "utf8")) as Script;
const readConfiguration = () => parseConfiguration({ environment: { ...readScript().environment } });

if (isWorker()) work(readScript());
else if (folder !== "") {
  try {
    process.exitCode = await serveWithWorkers(readConfiguration(), async () => readConfiguration());
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`cannot start: ${error.message}\n`);
    process.exitCode = 1;
  }
}

function work({ fails, says = [], isStubborn = false, drains = false }: Script): void {
  const send = (message: FromWorker) => process.send?.(message);
  const figures = {
    catalogue: "7.7",
    warnings: ["a warning"],
    policyWarnings: 0,
    counts: { requests: [["/docs", "GET", 200, 5]], durations: [], verdicts: [], limited: [], verifications: [] },
    record: { state: "recording", queued: 0, dropped: 1, written: 0, lagMs: 0 },
    ranges: { refreshed: 0, failed: 0, lists: [] },
    process: { cpuUserSeconds: 1000, cpuSystemSeconds: 0, residentBytes: 0, heapUsedBytes: 0, openFiles: 0 },
  } as const;
  process.on("SIGHUP", () => {});
  if (isStubborn) process.on("SIGTERM", () => {});
  process.on("message", (message: ToWorker) => {
    appendFileSync(join(folder, "notes"), `${JSON.stringify({ pid: process.pid, message })}\n`);
    if (message.type === "start") {
      if (typeof fails === "string") return send({ type: "failed", reason: fails });
      if (typeof fails === "number") process.exit(fails);
      send({ type: "listening", banner: "a banner" });
      for (const said of says) send(said);
    } else if (isStubborn) return;
    else if (message.type === "read") send({ type: "snapshot", snapshot: figures });
    else if (message.type === "stop" && !(drains && message.drainMs > 0)) process.exit(0);
  });
  process.on("disconnect", () => process.exit(0));
  send({ type: "waiting" });
}
