// How a process knows that it is a worker: the process that started it says so, and speaks to it.
import { workerVariable } from "./messages.ts";

/** Whether this process was started as a worker. */
export function isWorker(): boolean {
  return process.env[workerVariable] === String(process.ppid) && process.send !== undefined;
}
