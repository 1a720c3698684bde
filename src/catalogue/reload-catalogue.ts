/**
 * Keeps the catalogue of a running service up to date: opens its files again when they change, one opening at a time, and passes
 * on the compiled file. A catalogue that fails to open changes warnings and nothing else.
 */
import { existsSync } from "node:fs";
import type { Detector } from "../detect/verdict.ts";
import { changedAt as builtInChangedAt } from "../generated/about.ts";
import { toMessage } from "../text/errors.ts";
import type { CompileHooks } from "./compile-process.ts";
import type { CatalogueFile, OpenedCatalogue } from "./open-catalogue.ts";
import { type FileWatch, watchFiles } from "./watch-files.ts";

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

export interface ReloaderOptions {
  readonly files: readonly string[];
  /** Opens files; rejects with an error that says what is wrong with which line. */
  readonly open: (files: readonly string[], hooks: CompileHooks) => Promise<OpenedCatalogue>;
  /** Called with what has changed: the catalogue, or only the warnings. */
  readonly use: (change: CatalogueChange) => void;
  readonly log: (level: "info" | "warn" | "error", text: string) => void;
}

const mostShown = 300;

/** The catalogue of a service. */
export class CatalogueReloader {
  readonly #options: ReloaderOptions;
  readonly #end = new AbortController();
  readonly #figures = { loaded: 0, failed: 0, compileSeconds: 0, loadedAt: Date.now() / 1000 };
  #files: readonly string[];
  #current!: CatalogueFile;
  /** Why the newest catalogue is not in use. */
  #failure: string | undefined;
  #running: Promise<void> | undefined;
  #isAgain = false;
  #isLoading = false;
  #watch: FileWatch;

  private constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#files = options.files;
    // Before they are read: a change while they are read is noticed afterwards.
    this.#watch = this.#watchFiles();
  }

  /** Opens the files of a service that starts; rejects as `open` does. */
  static async open(options: ReloaderOptions): Promise<{ reloader: CatalogueReloader; detector: Detector }> {
    const reloader = new CatalogueReloader(options);
    try {
      const { file, detector } = await options.open(options.files, reloader.#hooks());
      reloader.#current = file;
      for (const warning of [...file.warnings, ...reloader.#age()]) options.log("warn", warning);
      return { reloader, detector };
    } catch (error) {
      reloader.stop();
      throw error;
    }
  }

  /** Opens the files again, or others; resolves when that is done, never rejects. Undefined if there is nothing to open. */
  reload(files: readonly string[] = this.#files): Promise<void> | undefined {
    if (this.#files.length === 0 && files.length === 0) return undefined;
    this.#watch.stop();
    this.#files = files;
    this.#watch = this.#watchFiles();
    this.#watch.start();
    return this.#openNow();
  }

  /** The file in use, which another process can read now: it is made again if it is gone. */
  async restore(): Promise<CatalogueFile> {
    const { path } = this.#current;
    if (path !== undefined && !existsSync(path)) await this.#openNow();
    return this.#current;
  }

  /** Reloads what changes from now on, and what has changed since the files were opened. */
  start(): void {
    this.#watch.start();
  }

  stop(): void {
    this.#end.abort();
    this.#watch.stop();
  }

  /** What /readyz says of the catalogue. */
  get warnings(): readonly string[] {
    const { version } = this.#current;
    if (this.#isLoading)
      return [...this.#age(), `A new catalogue is being loaded; ${version} stays in use until then.`];
    return this.#failure === undefined ? this.#age() : [...this.#age(), this.#failure];
  }

  get figures(): ReloadFigures {
    const isFailing = this.#failure !== undefined;
    const changedAt = this.#current.changedAt ?? builtInChangedAt;
    return { ...this.#figures, isFailing, isReloading: this.#running !== undefined, changedAt };
  }

  #watchFiles(): FileWatch {
    return watchFiles(this.#files, () => void this.#openNow());
  }

  /** A warning if the data are older than those of this program. */
  #age(): readonly string[] {
    const { changedAt = builtInChangedAt } = this.#current;
    if (changedAt >= builtInChangedAt) return [];
    const [own, programs] = [changedAt, builtInChangedAt].map((at) => new Date(at).toISOString().slice(0, 10));
    return [
      `The compiled catalogue has data of ${own}; those of this program are newer, of ${programs}. Compile it again, or use newer data.`,
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
    use({ warnings: this.warnings });
    let opened: CatalogueFile | undefined;
    let failure: string | undefined;
    try {
      opened = (await open(this.#files, this.#hooks())).file;
    } catch (error) {
      failure = toMessage(error).replaceAll("\n", "; ");
    }
    if (this.#end.signal.aborted) return;
    this.#isLoading = false;
    if (opened === undefined) this.#fail(failure ?? "");
    else this.#succeed(opened);
  }

  #succeed(opened: CatalogueFile): void {
    const { use, log } = this.#options;
    const isSame = opened.path === this.#current.path && opened.version === this.#current.version;
    this.#figures.loaded++;
    this.#figures.loadedAt = Date.now() / 1000;
    this.#failure = undefined;
    this.#current = opened;
    for (const warning of [...opened.warnings, ...this.#age()]) log("warn", warning);
    if (isSame) log("info", `The catalogue was loaded again; it has not changed: ${opened.version}`);
    else log("info", `The catalogue ${opened.version} is used: ${opened.entries.toLocaleString("en-US")} entries`);
    use({ ...(!isSame && { file: opened }), warnings: this.warnings });
  }

  #fail(reason: string): void {
    const { use, log } = this.#options;
    const failure = `The new catalogue failed to load; ${this.#current.version} stays in use: `;
    this.#figures.failed++;
    log("error", failure + reason);
    this.#failure = failure + (reason.length > mostShown ? `${reason.slice(0, mostShown)}…` : reason);
    use({ warnings: this.warnings });
  }

  #hooks(): CompileHooks {
    const onCompile = (seconds?: number): void => {
      const { log } = this.#options;
      if (seconds === undefined) log("info", "The catalogue is being compiled.");
      else {
        log("info", `Compiling the catalogue ended after ${seconds.toFixed(1)} s.`);
        this.#figures.compileSeconds = seconds;
      }
    };
    return { signal: this.#end.signal, onCompile };
  }
}
