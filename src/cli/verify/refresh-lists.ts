/** Downloads operators' lists for a command: only old ones, within a time, and after a failure not again for some minutes. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import type { OpenedEvidence } from "../../verify/open-evidence.ts";

export interface RefreshOptions {
  readonly evidence: Pick<OpenedEvidence, "lists" | "refresh">;
  /** Where failures are kept for the next command. */
  readonly cacheFolder: string;
  readonly waitMs: number;
}

/** After a failure, such as on a machine without a network, commands wait this long for nothing. */
const retryMs = 10 * 60_000;

interface Failure {
  /** In milliseconds. */
  readonly at: number;
  readonly why: string;
}

/** Downloads the lists of these ids at the same time. Returns a message about each that could not be downloaded. */
export async function refreshLists(ids: readonly string[], options: RefreshOptions): Promise<string[]> {
  const { evidence, cacheFolder, waitMs } = options;
  const path = join(cacheFolder, "failed-downloads.json");
  const failures = await readFailures(path);
  const isOver = new Promise<string>((resolve) => {
    setTimeout(resolve, waitMs, `no response within ${waitMs} ms`).unref();
  });
  const refresh = async (id: string): Promise<string[]> => {
    const known = failures.get(id);
    const isRecent = known !== undefined && known.at <= Date.now() && Date.now() < known.at + retryMs;
    const why = isRecent ? known.why : await Promise.race([evidence.refresh(id), isOver]);
    if (why === undefined) failures.delete(id);
    else if (!isRecent) failures.set(id, { at: Date.now(), why });
    return why === undefined ? [] : [toMessage(id, failures.get(id)!, evidence.lists.find(id)?.asOf)];
  };
  const before = JSON.stringify([...failures]);
  const messages = (await Promise.all(ids.map(refresh))).flat();
  if (JSON.stringify([...failures]) !== before) await keepFailures(path, failures);
  return messages;
}

function toMessage(id: string, { at, why }: Failure, asOf: number | undefined): string {
  const copy =
    asOf === undefined ? "There is no copy" : `The copy from ${new Date(asOf).toISOString().slice(0, 10)} is used`;
  const minutes = Math.max(Math.ceil((at + retryMs - Date.now()) / 60_000), 1);
  return `The address list ${id} could not be downloaded: ${why}. ${copy}; the next attempt is possible in ${minutes} minutes.`;
}

/** A file that is missing or cannot be read has no failures. */
async function readFailures(path: string): Promise<Map<string, Failure>> {
  try {
    const read: Readonly<Record<string, Failure>> = JSON.parse(await readFile(path, "utf8"));
    return new Map(Object.entries(read).filter(([, { at, why }]) => typeof at === "number" && typeof why === "string"));
  } catch {
    return new Map();
  }
}

/** A folder that cannot be written only means that the next command tries again. */
async function keepFailures(path: string, failures: ReadonlyMap<string, Failure>): Promise<void> {
  try {
    await mkdir(join(path, ".."), { recursive: true });
    await replaceFile(path, JSON.stringify(Object.fromEntries(failures)));
  } catch {
    // The next command tries again.
  }
}
