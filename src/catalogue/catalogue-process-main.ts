/** The process that catalogue-process.ts starts: reads a task from standard input, writes messages to standard output. */
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { CatalogueTask, ProcessMessage, TaskResults } from "./catalogue-process.ts";
import { compileFiles } from "./compile-files.ts";
import { CatalogueError, UpdateError } from "./errors.ts";
import { rollBackData, updateData } from "./update-data.ts";

const checkMs = 200;

/** Ends this process with its parent. In a thread: compiling lets no other code of its own thread run. */
function endWithParent(): void {
  const { pid, ppid } = process;
  const code = `setInterval(() => process.ppid === ${ppid} || process.kill(${pid}, "SIGKILL"), ${checkMs})`;
  new Worker(code, { eval: true }).unref();
}

function send(message: ProcessMessage): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

function run(task: CatalogueTask): Promise<TaskResults[CatalogueTask["type"]]> {
  switch (task.type) {
    case "open":
      return compileFiles(task.options, { onCompile: () => send({ type: "compiling" }) });
    case "update":
      return updateData(task.options);
    case "rollback":
      return rollBackData(task.options);
  }
}

endWithParent();
// Where memory ends, this process is to be stopped, not the service that waits for it.
try {
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // Not Linux.
}
try {
  send({ type: "done", result: await run(JSON.parse(readFileSync(0, "utf8")) as CatalogueTask) });
} catch (error) {
  if (error instanceof CatalogueError) send({ type: "wrong", problems: error.problems });
  else if (error instanceof UpdateError) send({ type: "refused", reason: error.message });
  else throw error;
}
process.exit();
