/** Opens the catalogue of a service that starts, and makes what keeps it up to date. */
import { join } from "node:path";
import { temporaryFolder } from "../catalogue/catalogue-cache.ts";
import { type CatalogueFile, runInProcess } from "../catalogue/catalogue-process.ts";
import { dataPath } from "../catalogue/downloaded-data.ts";
import { readKeys } from "../catalogue/minisign.ts";
import { openCatalogue } from "../catalogue/open-catalogue.ts";
import {
  type CatalogueChange,
  type CatalogueLog,
  createCatalogueReloader,
  logCompiling,
} from "../catalogue/reload-catalogue.ts";
import { createUpdateSchedule, type UpdateSchedule, updateIntervals } from "../catalogue/update-schedule.ts";
import { stateOf } from "../catalogue/watch-files.ts";
import type { Detector } from "../detect/verdict.ts";
import type { Log } from "./observe/log.ts";
import type { CatalogueFigures } from "./observe/metrics-page.ts";
import { openOwnRobots } from "./robots-txt.ts";
import { type Configuration, ConfigurationError } from "./settings/configuration.ts";

/** A change of what a service decides with or serves. */
export interface ServedChange extends CatalogueChange {
  /** The text of the site's own robots.txt; absent: none, or the text that is in use. */
  readonly ownRobots?: string | undefined;
}

/** All of it, for a process that starts. */
export interface ServedState extends ServedChange {
  readonly file: CatalogueFile;
}

/** The catalogue of a service, and the site's own robots.txt. */
export interface ServedCatalogue {
  /** That of the start. */
  readonly detector: Detector;
  /** The file in use, for a process that starts, and the warnings for its /readyz. */
  current(): Promise<ServedState>;
  /** Opens the files again, or others; resolves when that is done, never rejects. Undefined if there is nothing to open. */
  reload(files?: readonly string[]): Promise<void> | undefined;
  /** Begins to look for changes and for newer data. */
  start(): void;
  stop(): void;
  figures(): CatalogueFigures;
}

/** Opens the catalogue of a configuration. `use` receives changes later. Throws a ConfigurationError for files that are wrong. */
export async function startCatalogue(
  configuration: Configuration,
  { message: log }: Pick<Log, "message">,
  use: (change: ServedChange) => void,
): Promise<ServedCatalogue> {
  const { catalogueFiles, dataFolder } = configuration;
  const cache = { folder: join(dataFolder, "catalogues"), temporary: temporaryFolder() };
  const toOptions = (files: readonly string[]) => ({ files, cache, dataFolder, storesCompiled: true });
  const downloaded = dataPath(dataFolder, "current");
  const state = await stateOf([...catalogueFiles, downloaded]);
  let compileSeconds = 0;
  const onCompile = logCompiling(log, (seconds) => {
    compileSeconds = seconds;
  });
  const { detector, file } = await openCatalogue(toOptions(catalogueFiles), { onCompile }).catch((error: unknown) => {
    throw new ConfigurationError(`The catalogue is wrong: ${error instanceof Error ? error.message : String(error)}`);
  });
  for (const warning of [...file.warnings, ...file.dataWarnings]) log("warn", warning);
  const reloader = createCatalogueReloader({
    files: catalogueFiles,
    downloaded,
    state,
    current: file,
    compileSeconds,
    open: (files, hooks) => runInProcess({ type: "open", options: toOptions(files) }, hooks),
    use: ({ warnings, ...change }) => use({ ...change, warnings: [...warnings, ...otherWarnings()] }),
    log,
  });
  const ownRobots = await openOwnRobots(detector, configuration, { message: log }, () =>
    use({ ownRobots: ownRobots.text, warnings: allWarnings() }),
  );
  const otherWarnings = (): readonly string[] => [...(updates?.warnings() ?? []), ...ownRobots.warnings];
  const allWarnings = (): readonly string[] => [...reloader.warnings, ...otherWarnings()];
  const updates = await createUpdates(configuration, log, {
    warn: () => use({ warnings: allWarnings() }),
    async update(from, keys, signal) {
      const options = { files: reloader.files, cache, dataFolder, from, keys };
      return (await runInProcess({ type: "update", options }, { signal }))?.after.version;
    },
  });
  return {
    detector,
    current: async () => ({ file: await reloader.restore(), warnings: allWarnings(), ownRobots: ownRobots.text }),
    reload: reloader.reload,
    start() {
      reloader.start();
      updates?.start();
      ownRobots.start();
    },
    stop() {
      updates?.stop();
      ownRobots.stop();
      reloader.stop();
    },
    figures: () => ({ ...reloader.figures, updates: updates?.figures() }),
  };
}

interface UpdateParts {
  readonly warn: () => void;
  readonly update: (from: string, keys: readonly string[], signal: AbortSignal) => Promise<string | undefined>;
}

async function createUpdates(
  { updateFrom: from, updateKeys: keys, update: when }: Configuration,
  log: CatalogueLog,
  { warn, update }: UpdateParts,
): Promise<UpdateSchedule | undefined> {
  const isOn = from !== undefined && when !== "off";
  if (isOn && keys.length === 0)
    throw new ConfigurationError(
      "update-from is set, but update-key is not; set it to the publisher's public key, RW….",
    );
  await readKeys(keys).catch((error: Error) => {
    throw new ConfigurationError(`update-key is wrong: ${error.message}`);
  });
  if (!isOn) return undefined;
  return createUpdateSchedule({
    intervalMs: updateIntervals[when],
    update: (signal) => update(from, keys, signal),
    warn,
    log,
  });
}
