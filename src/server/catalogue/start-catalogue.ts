/** Opens the catalogue of a service that starts, and makes what keeps it up to date. */
import { detector as builtIn } from "../../detect/built-in/detector.ts";
import type { Detector } from "../../detect/verdict.ts";
import type { Log } from "../observe/log.ts";
import { type Configuration, ConfigurationError } from "../settings/configuration.ts";
import { type CatalogueKeeper, createCatalogueKeeper } from "./catalogue-keeper.ts";
import { openCatalogue } from "./open-catalogue.ts";
import { openInChild } from "./open-in-child.ts";
import { type CatalogueChange, toSentCatalogue } from "./sent-catalogue.ts";
import { stateOf } from "./watch-files.ts";

export interface StartedCatalogue {
  readonly detector: Detector;
  readonly keeper: CatalogueKeeper;
}

/** Opens the catalogue of a configuration. `use` receives changes later. Throws a ConfigurationError for files that are wrong. */
export async function startCatalogue(
  { catalogueFiles: files, dataFolder }: Configuration,
  log: Pick<Log, "message">,
  use: (change: CatalogueChange) => void,
): Promise<StartedCatalogue> {
  const state = await stateOf(files);
  const detector = files.length === 0 ? builtIn : await openFirst(files, dataFolder, log);
  const keeper = createCatalogueKeeper({
    files,
    state,
    current: detector === builtIn ? null : toSentCatalogue(detector),
    open: (files, signal) => openInChild(files, dataFolder, signal),
    use,
    log,
  });
  return { detector, keeper };
}

async function openFirst(files: readonly string[], cacheFolder: string, log: Pick<Log, "message">): Promise<Detector> {
  try {
    const { detector, warnings } = await openCatalogue({ files, cacheFolder });
    for (const warning of warnings) log.message("warn", warning);
    return detector;
  } catch (error) {
    throw new ConfigurationError(`The catalogue is wrong: ${error instanceof Error ? error.message : String(error)}`);
  }
}
