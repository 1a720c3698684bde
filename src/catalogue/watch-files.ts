/**
 * Detects changes to files by polling once a second, which works on every file system, with editors that replace files,
 * and with the symbolic links that Kubernetes swaps.
 */
import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";

const intervalMs = 1000;

/** Calls `changed` when any of the files has changed and then stayed unchanged for a second. Does not keep the process alive. */
export class FileWatch {
  readonly #files: readonly string[];
  readonly #changed: () => void;
  #states: readonly string[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSettling = false;
  #isStarted = false;
  #isStopped = false;
  #hasChanged = false;

  constructor(files: readonly string[], changed: () => void) {
    this.#files = files;
    this.#changed = changed;
    // `watchFile` of node:fs looks later, in another thread: it loses a change between its caller's reading and this look.
    this.#states = files.map(stateNow);
    if (files.length > 0) this.#waitForNext();
  }

  /** Starts reporting changes, including any since the watch was created. */
  start(): void {
    this.#isStarted = true;
    if (this.#hasChanged) this.#changed();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #waitForNext(): void {
    this.#timer = setTimeout(() => void this.#look(), intervalMs).unref();
  }

  async #look(): Promise<void> {
    const states = await Promise.all(this.#files.map((file) => stat(file).then(toState, () => missing)));
    if (this.#isStopped) return;
    const isSame = states.every((state, at) => state === this.#states[at]);
    this.#states = states;
    this.#waitForNext();
    if (isSame && this.#isSettling) this.#report();
    this.#isSettling = !isSame;
  }

  #report(): void {
    this.#hasChanged = true;
    if (this.#isStarted) this.#changed();
  }
}

const missing = "missing";

/** Equal if a file was not touched; reading it does not count. */
function toState({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join();
}

function stateNow(file: string): string {
  try {
    return toState(statSync(file));
  } catch {
    return missing;
  }
}
