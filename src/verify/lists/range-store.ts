/** Keeps the last good copy of each operator's list in a folder, for the next start and for other processes of the service. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";

/** A list as it was fetched, one part a source. */
export interface StoredList {
  /** When its operator last confirmed it, in milliseconds. */
  readonly asOf: number;
  readonly parts: readonly StoredPart[];
}

export interface StoredPart {
  readonly url: string;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly prefixes: readonly string[];
}

export interface RangeStore {
  /** The stored list of this name; undefined if there is none that can be read. */
  read(id: string): Promise<StoredList | undefined>;
  /** Rejects if it cannot be written. */
  write(id: string, list: StoredList): Promise<void>;
}

/** Makes a store of the files `<id>.json` in a folder, which is made when something is written. */
export function createRangeStore(folder: string): RangeStore {
  const pathOf = (id: string): string => join(folder, `${id}.json`);
  return {
    async read(id) {
      try {
        const list: unknown = JSON.parse(await readFile(pathOf(id), "utf8"));
        return isStoredList(list) ? list : undefined;
      } catch {
        return undefined;
      }
    },
    async write(id, list) {
      await mkdir(folder, { recursive: true });
      // Another process that reads it at the same time gets the complete old or the complete new file.
      await replaceFile(pathOf(id), JSON.stringify(list));
    },
  };
}

function isStoredList(value: unknown): value is StoredList {
  if (typeof value !== "object" || value === null) return false;
  const { asOf, parts } = value as Partial<StoredList>;
  return typeof asOf === "number" && Array.isArray(parts) && parts.every(isStoredPart);
}

function isStoredPart(value: unknown): value is StoredPart {
  if (typeof value !== "object" || value === null) return false;
  const { url, prefixes } = value as Partial<StoredPart>;
  return typeof url === "string" && Array.isArray(prefixes) && prefixes.every((text) => typeof text === "string");
}
