/** Opens the catalogue of a service that starts, and makes what keeps it up to date. */
import { join } from "node:path";
import { temporaryFolder } from "../catalogue/catalogue-cache.ts";
import { type CatalogueFile, openCatalogue } from "../catalogue/open-catalogue.ts";
import { type CatalogueChange, CatalogueReloader, type ReloadFigures } from "../catalogue/reload-catalogue.ts";
import type { Detector } from "../detect/verdict.ts";
import { toMessage, UserError } from "../text/errors.ts";
import type { Log } from "./observe/log.ts";
import { openOwnRobots } from "./robots-txt.ts";
import type { Configuration } from "./settings/configuration.ts";

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
  /** Begins to reload what changes. */
  start(): void;
  stop(): void;
  figures(): ReloadFigures;
}

/** Opens the catalogue of a configuration. `use` receives changes later. Throws a UserError for files that are wrong. */
export async function startCatalogue(
  configuration: Configuration,
  { message: log }: Pick<Log, "message">,
  use: (change: ServedChange) => void,
): Promise<ServedCatalogue> {
  const { catalogueFiles, dataFolder } = configuration;
  const cache = { folder: join(dataFolder, "catalogues"), temporary: temporaryFolder() };
  const { reloader, detector } = await CatalogueReloader.open({
    files: catalogueFiles,
    open: (files, hooks) => openCatalogue({ files, cache, storesCompiled: true }, hooks),
    use: ({ warnings, ...change }) => use({ ...change, warnings: [...warnings, ...ownRobots.warnings] }),
    log,
  }).catch((error: unknown) => {
    throw new UserError(`The catalogue is wrong: ${toMessage(error)}`);
  });
  const allWarnings = (): readonly string[] => [...reloader.warnings, ...ownRobots.warnings];
  const ownRobots = await openOwnRobots(detector, configuration, { message: log }, () =>
    use({ ownRobots: ownRobots.text, warnings: allWarnings() }),
  );
  return {
    detector,
    current: async () => ({ file: await reloader.restore(), warnings: allWarnings(), ownRobots: ownRobots.text }),
    reload: (files) => reloader.reload(files),
    start() {
      reloader.start();
      ownRobots.start();
    },
    stop() {
      ownRobots.stop();
      reloader.stop();
    },
    figures: () => reloader.figures,
  };
}
