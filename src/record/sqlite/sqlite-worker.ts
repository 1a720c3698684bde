/** The program of a SQLite file's threads: one writes, one reads. Each answers calls one at a time, in order. */
import { parentPort, workerData } from "node:worker_threads";
import { isCorruption, toStoreError } from "./sqlite-connection.ts";
import { SqliteReader } from "./sqlite-reader.ts";
import type { Call, FromThread, ThreadData } from "./sqlite-thread.ts";
import { SqliteWriter } from "./sqlite-writer.ts";

const { path, role } = workerData as ThreadData;
const post = (message: FromThread) => parentPort?.postMessage(message);
const target =
  role === "reader"
    ? new SqliteReader(path)
    : new SqliteWriter(path, (level, message) => post({ log: { level, message } }));

parentPort?.on("message", ({ id, method, args }: Call) => {
  try {
    post({ id, value: Reflect.apply(Reflect.get(target, method), target, args) });
  } catch (error) {
    post({ id, error: toStoreError(error).message, isCorrupt: isCorruption(error) });
  }
});
