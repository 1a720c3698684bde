/** Opens a catalogue in a process of its own (src/server/workers/task-process.ts). */
import { existsSync } from "node:fs";
import { builtInCatalogue } from "../../catalogue/base-catalogue.ts";
import { openCatalogue } from "../../catalogue/open-catalogue.ts";
import { createDataStore } from "../../catalogue/updates/data-store.ts";
import { openDownloadedBase } from "../../catalogue/updates/downloaded-base.ts";
import { runTask } from "../workers/task-process.ts";
import type { Task, TaskResult } from "../workers/worker-messages.ts";
import { type Opened, toSentCatalogue } from "./sent-catalogue.ts";

/** Opens files over the newer of the built-in and the downloaded data; rejects with the child's error. */
export async function openInChild(files: readonly string[], dataFolder: string, signal: AbortSignal): Promise<Opened> {
  if (files.length === 0 && !existsSync(createDataStore(dataFolder).currentPath))
    return { catalogue: null, warnings: [] };
  return (await runTask({ type: "open", files, dataFolder }, "opened", signal)).opened;
}

/** Does the child's part. */
export async function openForParent({ files, dataFolder }: Extract<Task, { type: "open" }>): Promise<TaskResult> {
  return { type: "opened", opened: await openWithDownloads(files, dataFolder).then(toOpened) };
}

/** Opens files over the newer of the built-in and the downloaded data. */
export async function openWithDownloads(files: readonly string[], dataFolder: string) {
  const { base, warnings } = await openDownloadedBase(dataFolder);
  const opened = await openCatalogue({ files, cacheFolder: dataFolder, base });
  return { ...opened, warnings: [...warnings, ...opened.warnings] };
}

/** An opened catalogue as it is sent. */
export function toOpened({ detector, warnings, changedAt }: Awaited<ReturnType<typeof openWithDownloads>>): Opened {
  const isBuiltIn = detector === builtInCatalogue.detector;
  return {
    catalogue: isBuiltIn ? null : { ...toSentCatalogue(detector), ...(changedAt !== undefined && { changedAt }) },
    warnings,
  };
}
