/**
 * When the data was last changed, as recorded in the tracked file data/changed.json, because neither a fresh clone nor an archive keeps the
 * times of files. A release updates it (`npm run data:date`) if the digest of the data has changed.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The tracked file. */
export const changedFile = "data/changed.json";

interface Changed {
  /** In RFC 3339. */
  readonly date: string;
  readonly digest: string;
}

/** What verdicts depend on: all data, and the list of the npm package. */
function dataFiles(): string[] {
  const files = globSync("data/**/*.{yaml,txt,json}", { cwd: root }).map((path) => path.replaceAll("\\", "/"));
  const others = files.filter((path) => path !== changedFile).sort();
  return [...others, "node_modules/crawler-user-agents/crawler-user-agents.json"];
}

/** A hash of the data as they are on the disk. */
export function digestOfData(): string {
  const hash = createHash("sha256");
  for (const path of dataFiles()) {
    const bytes = readFileSync(root + path);
    hash.update(`${path},${bytes.length},`).update(bytes);
  }
  return hash.digest("hex");
}

function readChanged(): Changed {
  return JSON.parse(readFileSync(root + changedFile, "utf8")) as Changed;
}

/** Whether the tracked file matches the data on disk. */
export function isDateCurrent(): boolean {
  return readChanged().digest === digestOfData();
}

/** The date of the tracked file, in milliseconds since 1970: the date of the last release, even for a build between two releases. */
export function readChangedAt(): number {
  return Date.parse(readChanged().date);
}

/** The date to publish the data on disk with, in milliseconds since 1970. */
export function publishingDate(): number {
  if (isDateCurrent()) return readChangedAt();
  return Math.floor(Math.max(...dataFiles().map((path) => statSync(root + path).mtimeMs)));
}
