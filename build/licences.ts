/** Gathers the licences of the packages whose code or data is in dist/. */
import { readdirSync, readFileSync } from "node:fs";

/** The npm package that a bundled file comes from; undefined for our own files. */
export function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

/** Writes one section a package, in alphabetical order, with the licence as the package ships it. */
export function toLicences(root: string, packages: readonly (string | undefined)[]): string {
  const names = [...new Set(packages)].filter((name) => name !== undefined).sort();
  const sections = names.map((name) => section(`${root}node_modules/${name}/`));
  const rule = `\n${"-".repeat(80)}\n\n`;
  return ["whocrawls contains code or data of these packages, under these licences.\n", ...sections].join(rule);
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
  // Some packages of a repository ship without its licence file.
  if (license !== "MIT") throw new Error(`${name} has no licence file, and ${license} is not a licence known here.`);
  const ours = readFileSync(`${folder.slice(0, folder.lastIndexOf("node_modules/"))}LICENSE`, "utf8");
  const terms = ours.slice(ours.indexOf("Permission is hereby granted"));
  return `${name} ${version} (${license})\n\nMIT License\n\nCopyright (c) the authors of ${name} (${repository})\n\n${terms.trim()}\n`;
}
