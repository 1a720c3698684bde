/** The thread in which a SQLite file is read and written: answers calls one at a time, in order. */
import { parentPort, workerData } from "node:worker_threads";
import { answer, type Call, type FileOptions } from "./sqlite-calls.ts";
import { SqliteFile } from "./sqlite-file.ts";

const { path, busyTimeoutMs } = workerData as FileOptions;
const file = new SqliteFile(path, busyTimeoutMs);

parentPort?.on("message", (call: Call) => parentPort?.postMessage(answer(file, call)));
