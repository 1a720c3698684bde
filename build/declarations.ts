/**
 * Writes the types of the package's entries: TypeScript's declarations, reduced to those reachable from the entries. Types of
 * packages that a consumer does not have are copied beside them, so that they check without anything installed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packageOf } from "./licenses.ts";

const tsc = fileURLToPath(new URL("../node_modules/.bin/tsc", import.meta.url));

// Comments are matched in order to skip them: they contain examples with imports.
const specifier = /\/\*[\s\S]*?\*\/|((?:\bfrom|\bimport\(|\bimport)\s*["'])([^"']+)(["'])/g;

/** Runs TypeScript's compiler, and prints what it says; throws if it fails. */
export function runTsc(args: readonly string[]): void {
  execFileSync(process.execPath, [tsc, ...args], { stdio: "inherit" });
}

/** Writes the declarations that `entries` (paths below src/, as declarations) reach to `target`. */
export function writeDeclarations(root: string, entries: readonly string[], target: string): void {
  const emitted = `${root}dist/.declarations/`;
  runTsc(["-p", `${root}build/tsconfig.declarations.json`]);
  const written = new Map<string, string>();

  /** Writes one file and what it imports; returns its path. */
  function write(source: string): string {
    const known = written.get(source);
    if (known !== undefined) return known;
    const packageName = packageOf(source);
    const path = packageName
      ? join(target, "packages", packageName, relative(packageFolder(packageName), source))
      : join(target, relative(emitted, source));
    written.set(source, path);
    const text = readFileSync(source, "utf8").replace(
      specifier,
      (all, before?: string, name?: string, after?: string) => {
        if (name === undefined) return all;
        const to = relative(dirname(path), write(resolve(source, name))).replace(/\.d\.ts$/, ".js");
        return `${before}${to.startsWith(".") ? to : `./${to}`}${after}`;
      },
    );
    mkdirSync(dirname(path), { recursive: true });
    // Without the spaces, the union of 1,600 names that editors complete is a tenth shorter.
    writeFileSync(path, text.replaceAll('" | "', '"|"'));
    return path;
  }

  function resolve(source: string, name: string): string {
    if (name.startsWith(".")) return join(dirname(source), name.replace(/(?:\.d)?\.[jt]s$/, ".d.ts"));
    const manifest = JSON.parse(readFileSync(join(packageFolder(name), "package.json"), "utf8")) as {
      exports?: { "."?: { types?: string } };
      types?: string;
    };
    const types = manifest.exports?.["."]?.types ?? manifest.types;
    if (types === undefined) throw new Error(`${source} imports ${name}, whose types cannot be copied.`);
    return join(packageFolder(name), types);
  }

  function packageFolder(name: string): string {
    return join(root, "node_modules", name);
  }

  for (const entry of entries) write(emitted + entry);
  rmSync(emitted, { recursive: true });
}
