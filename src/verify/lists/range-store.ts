/** Keeps the last good copy of each list in a folder, for the next start and for other processes of the service. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";

/** A list as it was fetched, with one part per source. */
export interface StoredList {
  /** When its publisher last confirmed it, in milliseconds; 0 if only a refusal is stored. */
  readonly asOf: number;
  readonly parts: readonly StoredPart[];
  /** Present while the publisher's list is refused for its size. */
  readonly refused?: Refusal | undefined;
}

export interface StoredPart {
  readonly url: string;
  /** The part of the document that was read; undefined for all. */
  readonly at?: string | number | undefined;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly prefixes: readonly string[];
}

/** The first refused list of about this size. */
export interface Refusal {
  /** In milliseconds. */
  readonly since: number;
  /** Its prefixes. */
  readonly size: number;
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

/** The last millisecond of a Date. */
const lastMs = 8.64e15;

/** Throws if a member is missing. */
function isStoredList(value: unknown): value is StoredList {
  const { asOf, parts, refused = { since: 0, size: 0 } } = value as StoredList;
  const areNumbers = [asOf, refused.since, refused.size].every(
    (number) => typeof number === "number" && number >= 0 && number <= lastMs,
  );
  const isText = (text: unknown): boolean => typeof text === "string";
  return areNumbers && parts.every(({ url, prefixes }) => isText(url) && !isText(prefixes) && prefixes.every(isText));
}
