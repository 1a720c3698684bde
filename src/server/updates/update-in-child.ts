/** Updates data in a process of its own (src/server/workers/task-process.ts). */
import { diffCrawlers } from "../../catalogue/diff-catalogues.ts";
import { readKeys } from "../../catalogue/updates/fetch-data.ts";
import { type UpdateReport, updateData } from "../../catalogue/updates/update-data.ts";
import { runTask } from "../workers/task-process.ts";
import type { Task, TaskResult } from "../workers/worker-messages.ts";

/** Updates once; rejects with the reason why data are refused. */
export async function updateInChild(task: Omit<UpdateTask, "type">, signal: AbortSignal): Promise<UpdateReport> {
  return (await runTask({ type: "update", ...task }, "updated", signal)).report;
}

type UpdateTask = Extract<Task, { type: "update" }>;

/** Does the child's part. */
export async function updateForParent({ keys, type: _, ...options }: UpdateTask): Promise<TaskResult> {
  const result = await updateData({ ...options, keys: await readKeys(keys) });
  if (result.outcome !== "updated") return { type: "updated", report: result };
  const { manifest, before, after } = result;
  const { added, removed, changed } = diffCrawlers(before, after);
  const summary = `${manifest.version} of ${manifest.date}: ${added.length} crawlers added, ${removed.length} removed, ${changed.length} changed`;
  return { type: "updated", report: { outcome: "updated", summary } };
}
