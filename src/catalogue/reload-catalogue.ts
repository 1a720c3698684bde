/**
 * Keeps the catalogue of a running service up to date: opens its files again when they change, one opening at a time, and passes
 * on the compiled file. A catalogue that fails to open changes warnings and nothing else.
 */
import { existsSync } from "node:fs";
import { changedAt as builtInChangedAt } from "../generated/about.ts";
import type { CatalogueFile, ProcessHooks } from "./catalogue-process.ts";
import { type FileState, stateOf, watchFiles } from "./watch-files.ts";

/** What to decide with from now on. */
export interface CatalogueChange {
  /** Absent: the catalogue that is in use. */
  readonly file?: CatalogueFile;
  /** Warnings for /readyz. */
  readonly warnings: readonly string[];
}

/** How often the catalogue was opened again, and how it went. */
export interface ReloadFigures {
  readonly loaded: number;
  readonly failed: number;
  /** Whether the newest catalogue failed to load, so that an older one is in use. */
  readonly isFailing: boolean;
  readonly isReloading: boolean;
  /** How long the last compilation took; 0 before any. */
  readonly compileSeconds: number;
  /** When the catalogue was last opened without an error, in seconds since 1970. */
  readonly loadedAt: number;
  /** When the data of the catalogue were changed, in milliseconds since 1970. */
  readonly changedAt: number;
}

export interface CatalogueReloader {
  /** Opens the files again, or others; resolves when that is done, never rejects. Undefined if there is nothing to open. */
  reload(files?: readonly string[]): Promise<void> | undefined;
  /** The file in use, which another process can read now: it is made again if it is gone. */
  restore(): Promise<CatalogueFile>;
  /** Begins to look for changes. */
  start(): void;
  stop(): void;
  readonly files: readonly string[];
  readonly current: CatalogueFile;
  /** Why the newest catalogue is not in use; none if it is. */
  readonly warnings: readonly string[];
  readonly figures: ReloadFigures;
}

export type CatalogueLog = (level: "info" | "warn" | "error", text: string) => void;

export interface ReloaderOptions {
  readonly files: readonly string[];
  /** A file of downloaded data that catalogues rest on; it need not exist. */
  readonly downloaded: string;
  /** The state of the files before they were first opened, the downloaded one included. */
  readonly state: FileState;
  readonly current: CatalogueFile;
  /** How long compiling `current` took, in seconds; 0 if it was stored already. */
  readonly compileSeconds?: number;
  /** Opens files; rejects with an error that says what is wrong with which line. */
  readonly open: (files: readonly string[], hooks: ProcessHooks) => Promise<CatalogueFile>;
  /** Called with what has changed: the catalogue, or only the warnings. */
  readonly use: (change: CatalogueChange) => void;
  readonly log: CatalogueLog;
}

const mostShown = 300;

/** Writes a line when compiling begins, and one when it ends; `onEnd` receives the seconds. */
export function logCompiling(log: CatalogueLog, onEnd: (seconds: number) => void): (seconds?: number) => void {
  return (seconds) => {
    if (seconds === undefined) return log("info", "The catalogue is being compiled.");
    log("info", `Compiling the catalogue ended after ${seconds.toFixed(1)} s.`);
    onEnd(seconds);
  };
}

/** Makes the reloader of an opened catalogue. */
export function createCatalogueReloader(options: ReloaderOptions): CatalogueReloader {
  const { downloaded, open, use, log } = options;
  let { files, state: known, current } = options;
  let warnings: readonly string[] = current.dataWarnings;
  const figures = {
    loaded: 0,
    failed: 0,
    isFailing: false,
    isReloading: false,
    compileSeconds: options.compileSeconds ?? 0,
    loadedAt: Date.now() / 1000,
  };
  let running: Promise<void> | undefined;
  let isAgain = false;
  const end = new AbortController();
  const onCompile = logCompiling(log, (seconds) => {
    figures.compileSeconds = seconds;
  });
  const watched = (): readonly string[] => [...files, downloaded];

  async function openAgain(): Promise<void> {
    // Before they are read: a change while they are read is noticed afterwards.
    known = await stateOf(watched());
    warn([...current.dataWarnings, `A new catalogue is being loaded; ${current.version} stays in use until then.`]);
    try {
      const opened = await open(files, { signal: end.signal, onCompile });
      if (!end.signal.aborted) succeed(opened);
    } catch (error) {
      if (!end.signal.aborted) fail(error instanceof Error ? error.message : String(error));
    }
  }

  function warn(next: readonly string[]): void {
    warnings = next;
    use({ warnings });
  }

  function succeed(opened: CatalogueFile): void {
    figures.loaded++;
    figures.isFailing = false;
    figures.loadedAt = Date.now() / 1000;
    for (const warning of [...opened.warnings, ...opened.dataWarnings]) log("warn", warning);
    const isSame = opened.path === current.path && opened.version === current.version;
    current = opened;
    if (isSame) {
      log("info", `The catalogue was loaded again; it has not changed: ${current.version}`);
      warn(current.dataWarnings);
      return;
    }
    log("info", `The catalogue ${current.version} is used: ${current.entries.toLocaleString("en-US")} entries`);
    warnings = current.dataWarnings;
    use({ file: current, warnings });
  }

  function fail(why: string): void {
    const reason = why.replaceAll("\n", "; ");
    figures.failed++;
    figures.isFailing = true;
    const failure = `The new catalogue failed to load; ${current.version} stays in use: `;
    log("error", failure + reason);
    const shown = reason.length > mostShown ? `${reason.slice(0, mostShown)}…` : reason;
    warn([...current.dataWarnings, failure + shown]);
  }

  async function openUntilCurrent(): Promise<void> {
    figures.isReloading = true;
    do {
      isAgain = false;
      await openAgain();
    } while (isAgain && !end.signal.aborted);
    figures.isReloading = false;
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
    reload(next = files) {
      if (files.length === 0 && next.length === 0 && current.path === undefined) return undefined;
      files = next;
      return openNow();
    },
    async restore() {
      if (current.path !== undefined && !existsSync(current.path)) await openNow();
      return current;
    },
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
    get files() {
      return files;
    },
    get current() {
      return current;
    },
    get warnings() {
      return warnings;
    },
    get figures() {
      return { ...figures, changedAt: current.changedAt ?? builtInChangedAt };
    },
  };
}
