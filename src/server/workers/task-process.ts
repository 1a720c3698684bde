/**
 * Does one task in a process of its own: what takes seconds blocks no request, and the memory that it takes is given back to the
 * system.
 */
import { spawn } from "node:child_process";
import { workerVariable } from "../settings/setting.ts";
import type { FromWorker, Task, TaskResult, ToWorker } from "./worker-messages.ts";

/** A whole catalogue compiles in seconds, on a busy machine in a minute. */
const timeoutMs = 300_000;

/** Does a task in a child process, which ends with `signal`; rejects with the child's error. */
export function runTask<Type extends TaskResult["type"]>(
  task: Task,
  type: Type,
  signal: AbortSignal,
): Promise<Extract<TaskResult, { type: Type }>> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, "serve"], {
    env: { ...process.env, [workerVariable]: String(process.pid) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    signal,
    killSignal: "SIGKILL",
  });
  const send = (message: ToWorker): void => void child.send(message, () => {});
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    // A service that ends waits for no task.
    timer.unref();
    child.unref();
    child.on("message", (message: FromWorker) => {
      if (message.type === "waiting") return send(task);
      if (message.type === type) resolve(message as Extract<TaskResult, { type: Type }>);
      else if (message.type === "failed") reject(new Error(message.reason));
      else return;
      child.disconnect();
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`the process for it ended with ${signal ?? `code ${code}`}`));
    });
  });
}

/** Does the child's part: sends what `run` resolves with, or why it failed. */
export async function answerTask(run: () => Promise<TaskResult>, send: (message: FromWorker) => void): Promise<void> {
  try {
    send(await run());
  } catch (error) {
    send({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}
