/**
 * Notices changes of files by asking about them once a second: that works on every file system, for editors that replace files,
 * and for the links that Kubernetes exchanges. A change is reported when it has lasted until the next look.
 */
import { stat } from "node:fs/promises";

/** What tells one state of files from another; the same for the same content that was not touched. */
export type FileState = string;

const intervalMs = 1000;

/** The state of the files now; a missing one has a state, too. */
export async function stateOf(files: readonly string[]): Promise<FileState> {
  const states = files.map(async (file) => {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
      return [file, dev, ino, size, mtimeNs, ctimeNs].join();
    } catch (error) {
      return [file, (error as NodeJS.ErrnoException).code].join();
    }
  });
  return (await Promise.all(states)).join("\n");
}

export interface FileWatch {
  /** Looks now, as the timer does. */
  look(): Promise<void>;
  stop(): void;
}

/**
 * Calls `changed` when the files have had another state than `known()` at two looks in a row. `files` and `known` are asked
 * each time. Holds no process open.
 */
export function watchFiles(files: () => readonly string[], known: () => FileState, changed: () => void): FileWatch {
  let last: FileState | undefined;
  async function look(): Promise<void> {
    const state = await stateOf(files());
    if (state !== known() && state === last) changed();
    last = state;
  }
  const timer = setInterval(() => void look(), intervalMs).unref();
  return { look, stop: () => clearInterval(timer) };
}
