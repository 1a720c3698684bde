/**
 * Keeps the catalogue of a running service up to date: opens its files again when they change, one opening at a time, and passes
 * on what they hold. A catalogue that cannot be opened changes the warning and nothing else.
 */

import { type FileState, stateOf, watchFiles } from "../../catalogue/watch-files.ts";
import { changedAt as builtInChangedAt } from "../../generated/about.ts";
import type { Log } from "../observe/log.ts";
import type { UpdateFigures } from "../updates/updater.ts";
import type { CatalogueChange, Opened, SentCatalogue } from "./sent-catalogue.ts";

/** How often the catalogue was opened again, and how it went. */
export interface ReloadFigures {
  readonly loaded: number;
  readonly failed: number;
  /** Whether the last time failed, so that the catalogue before it is used. */
  readonly isFailing: boolean;
  /** When the catalogue was last opened without an error, in seconds since 1970. */
  readonly loadedAt: number;
  /** When the data of the catalogue were changed, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Present if the service looks for newer data. */
  readonly updates?: UpdateFigures;
}

export interface CatalogueKeeper {
  /** Opens the files again, or others; resolves when that is done, never rejects. Undefined if there is nothing to open. */
  reload(files?: readonly string[]): Promise<void> | undefined;
  /** Begins to look for changes. */
  start(): void;
  stop(): void;
  readonly current: SentCatalogue | null;
  readonly files: readonly string[];
  /** Why the newest catalogue is not in use; none if it is. */
  readonly warnings: readonly string[];
  readonly figures: ReloadFigures;
}

export interface KeeperOptions {
  readonly files: readonly string[];
  /** A file of downloaded data that catalogues rest on; it need not exist. */
  readonly downloaded?: string;
  /** The state of the files before they were first opened, the downloaded one included. */
  readonly state: FileState;
  readonly current: SentCatalogue | null;
  /** Opens files, unless `signal` aborts; rejects with an error that says what is wrong with which line. */
  readonly open: (files: readonly string[], signal: AbortSignal) => Promise<Opened>;
  /** Called with what has changed: the catalogue, or only the warnings. */
  readonly use: (change: CatalogueChange) => void;
  readonly log: Pick<Log, "message">;
}

const mostShown = 300;

/** Makes the keeper of an opened catalogue. */
export function createCatalogueKeeper({
  files: given,
  downloaded,
  state,
  current: first,
  open,
  use,
  log,
}: KeeperOptions): CatalogueKeeper {
  let files = given;
  let known = state;
  let current = first;
  let warnings: readonly string[] = [];
  const figures = { loaded: 0, failed: 0, isFailing: false, loadedAt: Date.now() / 1000 };
  let running: Promise<void> | undefined;
  let isAgain = false;
  const end = new AbortController();

  const watched = (): readonly string[] => (downloaded === undefined ? files : [...files, downloaded]);

  async function openAgain(): Promise<void> {
    // Before they are read: a change while they are read is noticed afterwards.
    known = await stateOf(watched());
    try {
      const opened = await open(files, end.signal);
      if (!end.signal.aborted) succeed(opened);
    } catch (error) {
      if (!end.signal.aborted) fail(error instanceof Error ? error.message : String(error));
    }
  }

  function succeed(opened: Opened): void {
    figures.loaded++;
    figures.isFailing = false;
    figures.loadedAt = Date.now() / 1000;
    warnings = [];
    for (const warning of opened.warnings) log.message("warn", warning);
    if (opened.catalogue?.bytes === current?.bytes) {
      log.message("info", "the catalogue was loaded again; it has not changed");
      use({ warnings });
      return;
    }
    current = opened.catalogue;
    log.message(
      "info",
      current === null
        ? "the catalogue of this package is used"
        : `the catalogue ${current.version} is used: ${current.entries.toLocaleString("en-US")} entries`,
    );
    use({ catalogue: current, warnings });
  }

  function fail(why: string): void {
    const reason = why.replaceAll("\n", "; ");
    figures.failed++;
    figures.isFailing = true;
    log.message("error", `the catalogue could not be loaded, the one before it is used: ${reason}`);
    const shown = reason.length > mostShown ? `${reason.slice(0, mostShown)}…` : reason;
    warnings = [`the catalogue could not be loaded, the one before it is used: ${shown}`];
    use({ warnings });
  }

  async function openUntilCurrent(): Promise<void> {
    do {
      isAgain = false;
      await openAgain();
    } while (isAgain && !end.signal.aborted);
  }

  function reload(next: readonly string[] = files): Promise<void> | undefined {
    if (files.length === 0 && next.length === 0 && current === null) return undefined;
    files = next;
    return openNow();
  }

  function openNow(): Promise<void> {
    isAgain = true;
    running ??= openUntilCurrent().finally(() => {
      running = undefined;
    });
    return running;
  }

  let watch: ReturnType<typeof watchFiles> | undefined;
  return {
    reload,
    start() {
      watch ??= watchFiles(
        watched,
        () => known,
        () => {
          if (running === undefined) void openNow();
        },
      );
    },
    stop() {
      end.abort();
      watch?.stop();
    },
    get current() {
      return current;
    },
    get files() {
      return files;
    },
    get warnings() {
      return warnings;
    },
    get figures() {
      return { ...figures, changedAt: current?.changedAt ?? builtInChangedAt };
    },
  };
}
