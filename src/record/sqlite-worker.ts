/** The worker thread of a SQLite record. It receives one call at a time and answers each. */
import { parentPort, workerData } from "node:worker_threads";
import { createSqlStore } from "./sql-store.ts";
import { SqliteDriver } from "./sqlite-driver.ts";
import type { Answer, Call } from "./sqlite-store.ts";

const store = createSqlStore(new SqliteDriver(workerData));

parentPort?.on("message", async ({ method, args }: Call) => {
  const answer: Answer = await Reflect.apply(store[method], store, args).then(
    (value: unknown) => ({ value }),
    (error: Error) => ({ error: error.message }),
  );
  parentPort?.postMessage(answer);
});
