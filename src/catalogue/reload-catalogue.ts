/**
 * Keeps the catalogue of a running service up to date: reopens its files when they change, one reload at a time, and passes
 * on the new detector. A catalogue that fails to open only changes the warnings.
 */
import type { Detector } from "../detect/verdict.ts";
import { changedAt as builtInChangedAt } from "../generated/about.ts";
import { toMessage } from "../text/errors.ts";
import type { OpenedCatalogue } from "./open-catalogue.ts";
import { FileWatch } from "./watch-files.ts";

/** Counts of reloads and their outcomes. */
export interface ReloadFigures {
  readonly loaded: number;
  readonly failed: number;
  /** Whether the newest catalogue failed to load, so that an older one is in use. */
  readonly isFailing: boolean;
  readonly isReloading: boolean;
  /** When the catalogue was last opened without an error, in seconds since 1970. */
  readonly loadedAt: number;
  /** When the data of the catalogue were changed, in milliseconds since 1970. */
  readonly changedAt: number;
}

export interface ReloaderOptions {
  readonly files: readonly string[];
  /** Opens files; rejects with an error that says what is wrong on which line. */
  readonly open: (files: readonly string[], signal: AbortSignal) => Promise<OpenedCatalogue>;
  /** Called with each new catalogue. If it throws, the old catalogue stays in use. */
  readonly use: (detector: Detector) => void;
  readonly log: (level: "info" | "warn" | "error", text: string) => void;
}

const maxShown = 300;

/** The catalogue of a service. */
export class CatalogueReloader {
  readonly #options: ReloaderOptions;
  readonly #end = new AbortController();
  readonly #figures = { loaded: 0, failed: 0, loadedAt: Date.now() / 1000 };
  #files: readonly string[];
  #current!: OpenedCatalogue;
  /** Why the newest catalogue is not in use. */
  #failure: string | undefined;
  #running: Promise<void> | undefined;
  #isAgain = false;
  #isLoading = false;
  #watch: FileWatch;

  private constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#files = options.files;
    // Started before the files are read, so that a change during reading is noticed afterwards.
    this.#watch = this.#watchFiles();
  }

  /** Opens the files of a service that starts; rejects as `open` does. */
  static async open(options: ReloaderOptions): Promise<CatalogueReloader> {
    const reloader = new CatalogueReloader(options);
    try {
      reloader.#current = await options.open(options.files, reloader.#end.signal);
      for (const warning of [...reloader.#current.file.warnings, ...reloader.#age()]) options.log("warn", warning);
      return reloader;
    } catch (error) {
      reloader.stop();
      throw error;
    }
  }

  /** Reopens the files, or opens other ones; resolves when done and never rejects. Returns undefined if there is nothing to open. */
  reload(files: readonly string[] = this.#files): Promise<void> | undefined {
    if (this.#files.length === 0 && files.length === 0) return undefined;
    this.#watch.stop();
    this.#files = files;
    this.#watch = this.#watchFiles();
    this.#watch.start();
    return this.#openNow();
  }

  /** Reloads on changes from now on, and on changes since the files were opened. */
  start(): void {
    this.#watch.start();
  }

  stop(): void {
    this.#end.abort();
    this.#watch.stop();
  }

  /** The catalogue in use. */
  get detector(): Detector {
    return this.#current.detector;
  }

  /** What /readyz says of the catalogue. */
  get warnings(): readonly string[] {
    const { version } = this.detector;
    if (this.#isLoading)
      return [...this.#age(), `A new catalogue is being loaded; ${version} stays in use until then.`];
    return this.#failure === undefined ? this.#age() : [...this.#age(), this.#failure];
  }

  get figures(): ReloadFigures {
    const isFailing = this.#failure !== undefined;
    const changedAt = this.#current.file.changedAt ?? builtInChangedAt;
    return { ...this.#figures, isFailing, isReloading: this.#running !== undefined, changedAt };
  }

  #watchFiles(): FileWatch {
    return new FileWatch(this.#files, () => void this.#openNow());
  }

  /** A warning if the data are older than those of this program. */
  #age(): readonly string[] {
    const { changedAt = builtInChangedAt } = this.#current.file;
    if (changedAt >= builtInChangedAt) return [];
    const [own, programs] = [changedAt, builtInChangedAt].map((at) => new Date(at).toISOString().slice(0, 10));
    return [
      `The compiled catalogue has data from ${own}; this program has newer data, from ${programs}. Recompile the catalogue, or use newer data.`,
    ];
  }

  #openNow(): Promise<void> {
    this.#isAgain = true;
    this.#running ??= this.#openUntilCurrent();
    return this.#running;
  }

  async #openUntilCurrent(): Promise<void> {
    do {
      this.#isAgain = false;
      await this.#openAgain();
    } while (this.#isAgain && !this.#end.signal.aborted);
    this.#running = undefined;
  }

  async #openAgain(): Promise<void> {
    const { open, use } = this.#options;
    this.#isLoading = true;
    try {
      const opened = await open(this.#files, this.#end.signal);
      if (this.#end.signal.aborted) return;
      const isSame = opened.file.key === this.#current.file.key;
      if (!isSame) use(opened.detector);
      this.#succeed(opened, isSame);
    } catch (error) {
      if (!this.#end.signal.aborted) this.#fail(toMessage(error).replaceAll("\n", "; "));
    } finally {
      this.#isLoading = false;
    }
  }

  #succeed(opened: OpenedCatalogue, isSame: boolean): void {
    const { log } = this.#options;
    const { file, detector } = opened;
    this.#figures.loaded++;
    this.#figures.loadedAt = Date.now() / 1000;
    this.#failure = undefined;
    if (!isSame) this.#current = opened;
    for (const warning of [...file.warnings, ...this.#age()]) log("warn", warning);
    if (isSame) log("info", `The catalogue was reloaded and has not changed: ${detector.version}`);
    else log("info", `Now using catalogue ${detector.version}: ${detector.entries.toLocaleString("en-US")} entries`);
  }

  #fail(reason: string): void {
    const { log } = this.#options;
    const failure = `The new catalogue failed to load; ${this.detector.version} stays in use: `;
    this.#figures.failed++;
    log("error", failure + reason);
    this.#failure = failure + (reason.length > maxShown ? `${reason.slice(0, maxShown)}…` : reason);
  }
}
