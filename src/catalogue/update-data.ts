/** Updates the data of a data folder: gets a file, checks everything about it, and makes it the current one. Or rolls back. */
import { type BaseCatalogue, builtInCatalogue } from "./base-catalogue.ts";
import type { DataChange, FolderOptions, UpdateOptions } from "./catalogue-process.ts";
import { compileFiles } from "./compile-files.ts";
import { type DataFile, parseDataFile, proveDataFile } from "./data-file.ts";
import { type DownloadOptions, openDataSource } from "./download-data.ts";
import { readStored, type StoredData, storeData } from "./downloaded-data.ts";
import { CatalogueError, UpdateError } from "./errors.ts";
import { readKeys, verifyFile } from "./minisign.ts";

/** `now` is in milliseconds since 1970; default: the clock's time. */
export type UpdateTools = DownloadOptions & { readonly now?: number };

/** A publisher's clock may be ahead by this; data of a later date would keep all others out. */
const mostAheadMs = 86_400_000;
const rolledBack =
  "These data were rolled back. Publish newer ones, or return to them with: whocrawls update --rollback";

/** Updates once; undefined: there are no newer data. Rejects with an UpdateError for what is refused; the data are as they were then. */
export async function updateData(options: UpdateOptions, tools: UpdateTools = {}): Promise<DataChange | undefined> {
  const { dataFolder, isDryRun = false } = options;
  // A clock that was set back must not make the data in use look impossible.
  const now = Math.max(tools.now ?? Date.now(), builtInCatalogue.changedAt ?? 0);
  const keys = await readKeys(options.keys);
  const source = openDataSource(options.from, tools);
  const signature = await source.readSignature();
  const { current, previous } = await readBoth(dataFolder);
  // The signature is enough to recognize a file that is here.
  const isSigned = (stored: StoredData | undefined): boolean =>
    stored?.data !== undefined && "comment" in verifyFile(stored.bytes, signature, keys);
  if (isSigned(current)) return undefined;
  if (isSigned(previous) && isRolledBack(current, previous)) throw new UpdateError(rolledBack);
  const bytes = await source.readData();
  const verified = verifyFile(bytes, signature, keys);
  if ("problem" in verified) throw new UpdateError(`${source.name}: ${verified.problem}`);
  const data = parseDataFile(bytes);
  await refuseOld(data, dataFolder, now);
  await proveDataFile(data);
  const before = await compileOver(options);
  const after = await compileOver(options, data.base);
  // Again: another process may have updated meanwhile.
  const used = await refuseOld(data, dataFolder, now);
  if (!isDryRun) {
    // The newest file first: its date stays known whatever happens.
    await storeData(dataFolder, [["current", bytes], ...(used ? [["previous", used] as const] : [])]);
  }
  return { before, after, comment: verified.comment };
}

/** Returns to the data before the last update, or forth again. Rejects with an UpdateError if there are none. */
export async function rollBackData(options: FolderOptions): Promise<DataChange> {
  const { current, previous } = await readBoth(options.dataFolder);
  if (current === undefined && previous === undefined)
    throw new UpdateError(`${options.dataFolder} has no downloaded data to roll back.`);
  if (previous?.problem !== undefined) throw new UpdateError(`The previous data cannot be used: ${previous.problem}`);
  const before = await compileOver(options);
  const after = await compileOver(options, previous?.data?.base ?? builtInCatalogue);
  await storeData(options.dataFolder, [
    ["previous", current?.bytes],
    ["current", previous?.bytes],
  ]);
  return { before, after };
}

async function readBoth(dataFolder: string) {
  return { current: await readStored(dataFolder, "current"), previous: await readStored(dataFolder, "previous") };
}

const dateOf = (stored: StoredData | undefined): number => stored?.data?.changedAt ?? 0;

/** An update makes the newest data the current ones, so previous data are newer only if they were rolled back. */
function isRolledBack(current: StoredData | undefined, previous: StoredData | undefined): boolean {
  return dateOf(previous) > dateOf(current);
}

/** Refuses data that are not newer than all that were ever installed. Resolves with the current file, if it can be used. */
async function refuseOld({ manifest, changedAt }: DataFile, dataFolder: string, now: number) {
  const { version, date } = manifest;
  const { current, previous } = await readBoth(dataFolder);
  const isPossible = (at: number): boolean => at <= now + mostAheadMs;
  if (!isPossible(changedAt))
    throw new UpdateError(`The data ${version} are of ${date}, more than a day ahead. Check the clocks.`);
  if (isRolledBack(current, previous) && isPossible(dateOf(previous)) && changedAt <= dateOf(previous))
    throw new UpdateError(rolledBack);
  const used = current?.data?.base ?? builtInCatalogue;
  const usedAt = used.changedAt ?? 0;
  const own = `those in use, ${used.detector.version} of ${new Date(usedAt).toISOString()}`;
  if (isPossible(usedAt) && changedAt < usedAt)
    throw new UpdateError(
      `The data ${version} of ${date} are older than ${own}. To return to previous data, use: whocrawls update --rollback`,
    );
  if (changedAt === usedAt && used !== builtInCatalogue)
    throw new UpdateError(
      `The data ${version} are other data of the same date as ${own}. Publish them with a later date.`,
    );
  return current?.data && current.bytes;
}

/** The catalogue with the own ones over `base`, or over what is in use; rejects with an UpdateError if they do not fit it. */
async function compileOver({ files, cache, dataFolder }: FolderOptions, base?: BaseCatalogue) {
  const options = { files, cache, dataFolder, storesCompiled: true };
  try {
    return await compileFiles(options, base && { base });
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    // They may not fit what is in use, either.
    if (base === undefined) return compileFiles({ ...options, files: [] });
    throw new UpdateError(`The own catalogue does not fit the new data. Change it first:\n${error.message}`);
  }
}
