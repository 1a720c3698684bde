/** Opens the catalogue of a service that starts, and makes what keeps it up to date. */

import { createDataStore, type DataStore } from "../../catalogue/updates/data-store.ts";
import { readKeys } from "../../catalogue/updates/fetch-data.ts";
import { stateOf } from "../../catalogue/watch-files.ts";
import type { Detector } from "../../detect/verdict.ts";
import type { Log } from "../observe/log.ts";
import { type Configuration, ConfigurationError } from "../settings/configuration.ts";
import { updateInChild } from "../updates/update-in-child.ts";
import { createUpdater, type Updater, updateIntervals } from "../updates/updater.ts";
import { type CatalogueKeeper, createCatalogueKeeper } from "./catalogue-keeper.ts";
import { openInChild, openWithDownloads, toOpened } from "./open-in-child.ts";
import type { CatalogueChange } from "./sent-catalogue.ts";

export interface StartedCatalogue {
  readonly detector: Detector;
  readonly keeper: CatalogueKeeper;
}

/** Opens the catalogue of a configuration. `use` receives changes later. Throws a ConfigurationError for files that are wrong. */
export async function startCatalogue(
  configuration: Configuration,
  log: Pick<Log, "message">,
  use: (change: CatalogueChange) => void,
): Promise<StartedCatalogue> {
  const { catalogueFiles: files, dataFolder } = configuration;
  const store = createDataStore(dataFolder);
  const downloaded = store.currentPath;
  const state = await stateOf([...files, downloaded]);
  const opened = await openFirst(files, dataFolder, log);
  const keeper = createCatalogueKeeper({
    files,
    downloaded,
    state,
    current: toOpened(opened).catalogue,
    open: (files, signal) => openInChild(files, dataFolder, signal),
    use: (change) => use({ ...change, warnings: [...change.warnings, ...(updater?.warnings ?? [])] }),
    log,
  });
  const updater = await createConfiguredUpdater(configuration, keeper, store, log, () =>
    use({ warnings: [...keeper.warnings, ...(updater?.warnings ?? [])] }),
  );
  return { detector: opened.detector, keeper: updater === undefined ? keeper : withUpdater(keeper, updater) };
}

async function createConfiguredUpdater(
  { updateFrom: from, updateKeys: keys, update, dataFolder }: Configuration,
  keeper: CatalogueKeeper,
  { readState }: DataStore,
  log: Pick<Log, "message">,
  warn: () => void,
): Promise<Updater | undefined> {
  if (from === undefined || update === "off") return undefined;
  if (keys.length === 0)
    throw new ConfigurationError(
      "update-from is set, but update-key is not; set it to the publisher's public key, RW….",
    );
  await readKeys(keys).catch((error: Error) => {
    throw new ConfigurationError(`update-key is wrong: ${error.message}`);
  });
  return createUpdater({
    intervalMs: updateIntervals[update],
    update: (signal) => updateInChild({ from, keys, dataFolder, catalogueFiles: keeper.files }, signal),
    async checkedAt() {
      const state = await readState();
      return state.from === from ? state.checkedAt : undefined;
    },
    warn,
    log,
  });
}

/** A keeper that also looks for newer data. */
function withUpdater(keeper: CatalogueKeeper, updater: Updater): CatalogueKeeper {
  return {
    reload: keeper.reload,
    start() {
      keeper.start();
      updater.start();
    },
    stop() {
      updater.stop();
      keeper.stop();
    },
    get current() {
      return keeper.current;
    },
    get files() {
      return keeper.files;
    },
    get warnings() {
      return [...keeper.warnings, ...updater.warnings];
    },
    get figures() {
      return { ...keeper.figures, updates: updater.figures };
    },
  };
}

async function openFirst(files: readonly string[], dataFolder: string, log: Pick<Log, "message">) {
  try {
    const opened = await openWithDownloads(files, dataFolder);
    for (const warning of opened.warnings) log.message("warn", warning);
    return opened;
  } catch (error) {
    throw new ConfigurationError(`The catalogue is wrong: ${error instanceof Error ? error.message : String(error)}`);
  }
}
