/** Reads data/people/: strings that look like crawlers' and are people's. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../data/people/", import.meta.url));

/** All strings of all files, in the order of the files' names, without comments. */
export function readPeople(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".txt"))
    .sort()
    .flatMap((file) => readFileSync(folder + file, "utf8").split("\n"))
    .filter((line) => line !== "" && !line.startsWith("#"));
}
