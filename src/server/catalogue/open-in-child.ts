/**
 * Opens a catalogue in a process of its own: compiling takes time, in which requests are answered, and memory, which the system
 * gets back.
 */
import { spawn } from "node:child_process";
import { type FromWorker, type ToWorker, workerVariable } from "../workers/worker-messages.ts";
import { openCatalogue } from "./open-catalogue.ts";
import { type Opened, toSentCatalogue } from "./sent-catalogue.ts";

/** A whole catalogue compiles in seconds, on a busy machine in a minute. */
const timeoutMs = 300_000;

/** Opens files in a child process, which ends with `signal`; rejects with the child's error. */
export function openInChild(files: readonly string[], cacheFolder: string, signal: AbortSignal): Promise<Opened> {
  if (files.length === 0) return Promise.resolve({ catalogue: null, warnings: [] });
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, "serve"], {
    env: { ...process.env, [workerVariable]: String(process.pid) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    signal,
    killSignal: "SIGKILL",
  });
  const send = (message: ToWorker): void => void child.send(message, () => {});
  return new Promise<Opened>((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    // A service that ends waits for no catalogue.
    timer.unref();
    child.unref();
    child.on("message", (message: FromWorker) => {
      if (message.type === "waiting") send({ type: "open", files, cacheFolder });
      else if (message.type === "opened" || message.type === "failed") {
        if (message.type === "opened") resolve(message.opened);
        else reject(new Error(message.reason));
        child.disconnect();
      }
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`the process that compiles it ended with ${signal ?? `code ${code}`}`));
    });
  });
}

/** Does the child's part. */
export async function openForParent(
  { files, cacheFolder }: Extract<ToWorker, { type: "open" }>,
  send: (message: FromWorker) => void,
): Promise<void> {
  try {
    const { detector, warnings } = await openCatalogue({ files, cacheFolder });
    send({ type: "opened", opened: { catalogue: toSentCatalogue(detector), warnings } });
  } catch (error) {
    send({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}
