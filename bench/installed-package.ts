/** Finds the installed packages: the build has some in node_modules, the tests and benchmarks others in test/node_modules. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folder of a package, or of an alias, with a slash behind it. */
export function packageFolder(name: string): string {
  const folders = ["node_modules", "test/node_modules"].map((folder) => `${root}${folder}/${name}/`);
  const found = folders.find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`The package ${name} is not installed; run \`bun test/install.ts\`.`);
  return found;
}

/** `name@version` of an installed package, or of the package that an alias stands for. */
export function packageVersion(folder: string): string {
  const manifest = readFileSync(`${packageFolder(folder)}package.json`, "utf8");
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  return `${name}@${version}`;
}
