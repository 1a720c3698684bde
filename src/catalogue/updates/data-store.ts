/**
 * The downloaded data in the folder `updates` of the data folder: the current file, the one before, and the state of updating. A
 * process that is killed at any moment leaves complete files only, and the old data or the new.
 */
import { createHash, randomUUID } from "node:crypto";
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isFileProblem } from "../file-problem.ts";
import type { Validators } from "./fetch-data.ts";
import { UpdateError } from "./update-error.ts";

/** What is remembered between updates. */
export interface UpdateState extends Validators {
  /** Where the last file came from, of which the validators are. */
  readonly from?: string;
  /** The hash of that file. */
  readonly digest?: string;
  /** When a file was last looked for, in milliseconds since 1970. */
  readonly checkedAt?: number;
  /** The hash of a file that was rolled back: it is not installed again. */
  readonly rolledBack?: string;
}

export interface DataStore {
  readonly folder: string;
  readonly currentPath: string;
  readonly previousPath: string;
  read(which: "current" | "previous"): Promise<Uint8Array | undefined>;
  readState(): Promise<UpdateState>;
  /** Does nothing where there is no room. */
  writeState(state: UpdateState): Promise<void>;
  /** Makes a file the current one, and the current one the previous. Rejects with an UpdateError if it cannot be written. */
  install(bytes: Uint8Array): Promise<void>;
  /** Exchanges the current file and the previous one; the absence of either is exchanged, too. */
  rollback(): Promise<void>;
}

/** In hexadecimal. */
export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const abandonedMs = 3_600_000;

/** The store in a data folder, which is made when something is written. */
export function createDataStore(dataFolder: string): DataStore {
  const folder = join(dataFolder, "updates");
  const [currentPath, previousPath, statePath] = ["current.data", "previous.data", "state.json"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const temporary = (): string => join(folder, `${randomUUID()}.tmp`);

  /** Writes a file that a rename makes visible; returns its path. */
  async function writeTemporary(content: Uint8Array | string): Promise<string> {
    const name = temporary();
    try {
      const file = await open(name, "wx", 0o644);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      return name;
    } catch (error) {
      await rm(name, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** A second name for a file, which replaces another at once; `from` stays. */
  async function copy(from: string, to: string): Promise<void> {
    const name = temporary();
    // Some file systems have no links.
    await link(from, name).catch(() => copyFile(from, name));
    await rename(name, to);
  }

  async function removeAbandoned(): Promise<void> {
    for (const name of await readdir(folder)) {
      if (!name.endsWith(".tmp")) continue;
      const { mtimeMs } = await stat(join(folder, name));
      if (mtimeMs < Date.now() - abandonedMs) await rm(join(folder, name), { force: true });
    }
  }

  return {
    folder,
    currentPath,
    previousPath,
    read: (which) => readIfThere(which === "current" ? currentPath : previousPath),
    async readState() {
      try {
        const state: unknown = JSON.parse(await readFile(statePath, "utf8"));
        return typeof state === "object" && state !== null ? state : {};
      } catch {
        return {};
      }
    },
    async writeState(state) {
      // Without it, the next look downloads the file again; that is no reason to fail.
      try {
        await mkdir(folder, { recursive: true });
        await rename(await writeTemporary(JSON.stringify(state)), statePath);
      } catch (error) {
        if (!isFileProblem(error)) throw error;
      }
    },
    async install(bytes) {
      try {
        await mkdir(folder, { recursive: true });
        const name = await writeTemporary(bytes);
        try {
          if (await exists(currentPath)) await copy(currentPath, previousPath);
          await rename(name, currentPath);
        } finally {
          await rm(name, { force: true });
        }
        await syncFolder(folder);
      } catch (error) {
        throw new UpdateError(`${folder} cannot be written: ${(error as Error).message}. The data are as they were.`);
      }
      await removeAbandoned().catch(() => {});
    },
    async rollback() {
      const [hasCurrent, hasPrevious] = [await exists(currentPath), await exists(previousPath)];
      if (hasCurrent && hasPrevious) {
        const name = temporary();
        await copy(currentPath, name);
        await rename(previousPath, currentPath);
        await rename(name, previousPath);
      } else if (hasCurrent) await rename(currentPath, previousPath);
      else if (hasPrevious) await rename(previousPath, currentPath);
      await syncFolder(folder);
    },
  };
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** So that the names survive a loss of power, too. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
