/** Updates the data of a data folder: gets a file, checks everything about it, and makes it the current one. Or rolls back. */
import type { Detector } from "../../detect/verdict.ts";
import { type BaseCatalogue, builtInCatalogue, toBaseCatalogue } from "../base-catalogue.ts";
import { CatalogueError } from "../catalogue-error.ts";
import { isFileProblem } from "../file-problem.ts";
import { openCatalogue } from "../open-catalogue.ts";
import { type Manifest, parseDataFile } from "./data-file.ts";
import { createDataStore, type DataStore, digestOf, type UpdateState } from "./data-store.ts";
import { openDownloadedBase, programVersion } from "./downloaded-base.ts";
import { type FetchOptions, fetchData } from "./fetch-data.ts";
import type { PublicKey } from "./minisign-format.ts";
import { UpdateError } from "./update-error.ts";
import { withLock } from "./update-lock.ts";
import { failingVectors, type Vector } from "./vectors.ts";

export interface UpdateOptions extends FetchOptions {
  /** An https:// address, or the path of a file; the signature is beside it. */
  readonly from: string;
  readonly keys: readonly PublicKey[];
  readonly dataFolder: string;
  /** Own catalogues, which must fit the new data. */
  readonly catalogueFiles: readonly string[];
  /** Checks everything and replaces nothing. */
  readonly isDryRun?: boolean;
}

/** Catalogues before and after an update, with the own ones over them. */
export interface DataChange {
  readonly before: Detector;
  readonly after: Detector;
}

export type UpdateResult =
  /** Nothing is newer. */
  | { readonly outcome: "unchanged" }
  /** Another process updates now. */
  | { readonly outcome: "busy" }
  | ({ readonly outcome: "updated"; readonly manifest: Manifest; readonly comment: string } & DataChange);

/** What an update has done, for the log. */
export interface UpdateReport {
  readonly outcome: "updated" | "unchanged" | "busy";
  /** What is used from now on, in words. */
  readonly summary?: string;
}

/** Updates once. Rejects with an UpdateError or a SignatureError for what is refused; then the data are as they were. */
export async function updateData(options: UpdateOptions): Promise<UpdateResult> {
  const store = createDataStore(options.dataFolder);
  return (await locked(store, () => update(options, store))) ?? { outcome: "busy" };
}

async function locked<Result>({ folder }: DataStore, run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await withLock(folder, run);
  } catch (error) {
    if (!isFileProblem(error)) throw error;
    throw new UpdateError(`${folder} cannot be used: ${error.message}. The data are as they were.`);
  }
}

async function update(options: UpdateOptions, store: DataStore): Promise<UpdateResult> {
  const { from, keys, dataFolder, isDryRun = false } = options;
  const state = await store.readState();
  const current = await store.read("current");
  const isKnown = state.from === from && current !== undefined && digestOf(current) === state.digest;
  const fetched = await fetchData(from, keys, isKnown ? state : {}, options);
  const checkedAt = Date.now();
  if (fetched === undefined) {
    await store.writeState({ ...state, checkedAt });
    return { outcome: "unchanged" };
  }
  const { bytes, comment, etag, lastModified } = fetched;
  const digest = digestOf(bytes);
  const { rolledBack } = state;
  const next: UpdateState = {
    from,
    digest,
    checkedAt,
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    ...(rolledBack !== undefined && { rolledBack }),
  };
  const { base } = await openDownloadedBase(dataFolder);
  if (digest === base.digest) {
    await store.writeState(next);
    return { outcome: "unchanged" };
  }
  if (digest === rolledBack)
    throw new UpdateError(
      "These data were rolled back. Publish newer ones, or return to them with: whocrawls update --rollback",
    );
  const { manifest, detector, vectors } = parseDataFile(bytes, programVersion);
  const order = Date.parse(manifest.date) - (base.changedAt ?? 0);
  if (order === 0 && base === builtInCatalogue) {
    await store.writeState(next);
    return { outcome: "unchanged" };
  }
  if (order <= 0) throw new UpdateError(describeOld(manifest, base));
  refuseOtherVerdicts(detector, vectors);
  const before = await openOver(base, options).catch(() => base.detector);
  const after = await openOver(toBaseCatalogue(bytes), options);
  if (!isDryRun) {
    await store.install(bytes);
    await store.writeState(next);
  }
  return { outcome: "updated", manifest, comment, before, after };
}

function describeOld({ version, date }: Manifest, { detector, changedAt = 0 }: BaseCatalogue): string {
  const own = `those in use, ${detector.version} of ${new Date(changedAt).toISOString()}`;
  return Date.parse(date) < changedAt
    ? `The data ${version} of ${date} are older than ${own}. To return to the data before, use: whocrawls update --rollback`
    : `The data ${version} are other data of the same date as ${own}. Publish them with a later date.`;
}

function refuseOtherVerdicts(detector: Detector, vectors: readonly Vector[]): void {
  const failing = failingVectors(detector, vectors);
  const [first] = failing;
  if (first === undefined) return;
  const [useragent, expected] = first;
  const verdict = { true: "a crawler", false: "not a crawler" }[String(expected)] ?? expected;
  throw new UpdateError(
    `${failing.length} of ${vectors.length} test vectors fail, such as ${JSON.stringify(useragent)}, which should be ${verdict}. Update whocrawls itself first, or report this to the publisher of the data.`,
  );
}

/** The catalogue with the own ones over it; rejects with an UpdateError if they do not fit it. */
async function openOver(base: BaseCatalogue, options: Pick<UpdateOptions, "catalogueFiles" | "dataFolder">) {
  const { catalogueFiles: files, dataFolder: cacheFolder } = options;
  try {
    return (await openCatalogue({ files, cacheFolder, base })).detector;
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    throw new UpdateError(`The own catalogue does not fit the new data. Change it first:\n${error.message}`);
  }
}

/** Returns to the data before the last update, or forth again. Rejects with an UpdateError if there are none. */
export async function rollBackData(
  options: Pick<UpdateOptions, "catalogueFiles" | "dataFolder">,
): Promise<DataChange | undefined> {
  const store = createDataStore(options.dataFolder);
  return locked(store, async () => {
    const [current, previous] = [await store.read("current"), await store.read("previous")];
    if (current === undefined && previous === undefined)
      throw new UpdateError(`${store.folder} has no downloaded data to roll back.`);
    const { rolledBack, ...state } = await store.readState();
    const before = await openOver((await openDownloadedBase(options.dataFolder)).base, options);
    await store.rollback();
    const isReturn = previous !== undefined && digestOf(previous) === rolledBack;
    await store.writeState(isReturn || current === undefined ? state : { ...state, rolledBack: digestOf(current) });
    return { before, after: await openOver((await openDownloadedBase(options.dataFolder)).base, options) };
  });
}
