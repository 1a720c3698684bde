/**
 * Gathers the licenses of what is in dist/: of npm packages as they ship them, and of collections of data, which are in
 * data/licenses/.
 */
import { readdirSync, readFileSync } from "node:fs";

/** The npm package that a bundled file comes from; undefined for our own files. */
export function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

/** Writes one section per package and collection, each in alphabetical order. */
export function toLicenses(root: string, packages: readonly (string | undefined)[]): string {
  const names = [...new Set(packages)].filter((name) => name !== undefined).sort();
  const sections = [...names.map((name) => section(`${root}node_modules/${name}/`)), ...collections(root)];
  const rule = `\n${"-".repeat(80)}\n\n`;
  return [
    "whocrawls includes code or data from the following packages and collections, under their licenses.\n",
    ...sections,
  ].join(rule);
}

function collections(root: string): string[] {
  const folder = `${root}data/licenses/`;
  return readdirSync(folder)
    .sort()
    .map((file) => `${file.replace(".txt", "")} (data)\n\n${readFileSync(folder + file, "utf8").trim()}\n`);
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly repository: string | { readonly url: string };
}

function section(folder: string): string {
  const manifest = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as Manifest;
  const { name, version, license } = manifest;
  const repository = typeof manifest.repository === "object" ? manifest.repository.url : manifest.repository;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.\w+)?$/i.test(entry));
  if (file !== undefined) return `${name} ${version} (${license})\n\n${readFileSync(folder + file, "utf8").trim()}\n`;
  // Some packages ship without the license file of their repository.
  if (license !== "MIT") throw new Error(`${name} has no license file, and its license, ${license}, is unknown.`);
  const ours = readFileSync(`${folder.slice(0, folder.lastIndexOf("node_modules/"))}LICENSE`, "utf8");
  const terms = ours.slice(ours.indexOf("Permission is hereby granted"));
  return `${name} ${version} (${license})\n\nMIT License\n\nCopyright (c) the authors of ${name} (${repository})\n\n${terms.trim()}\n`;
}
