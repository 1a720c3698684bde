/** Reads data/people/: strings that look like a crawler's but are a person's. */
import { readdirSync } from "node:fs";
import type { Person } from "../src/compiler/attribution.ts";
import { readText, root } from "./read-catalogue.ts";

/** Strings in these files that the catalogue is known to mistake for crawlers, with their lines in data/known-errors.txt. */
export function readKnownErrors(): Person[] {
  return readLines("known-errors.txt");
}

/** All strings of all files with their lines, in the order of the files' names, without comments. */
export function readPeopleLines(): Person[] {
  return readdirSync(`${root}data/people`)
    .filter((file) => file.endsWith(".txt"))
    .sort()
    .flatMap((file) => readLines(`people/${file}`));
}

function readLines(path: string): Person[] {
  return readText(`data/${path}`)
    .text.split("\n")
    .map((text, index) => ({ text, source: `data/${path}:${index + 1}` }))
    .filter(({ text }) => text !== "" && !text.startsWith("#"));
}

/** The same without their lines. */
export function readPeople(): string[] {
  return readPeopleLines().map(({ text }) => text);
}
