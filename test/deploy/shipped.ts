/** What tests of deploy/ share: its files, the programs that check them, and the settings that they may name. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const deploy = `${root}deploy/`;

export function readShipped(path: string): string {
  return readFileSync(deploy + path, "utf8");
}

/** Reads a YAML file of one document; fails on duplicate keys. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into files of many shapes, and a wrong path fails the test.
export function readYaml(path: string): any {
  return parse(readShipped(path), { merge: true });
}

/** Reads a YAML file of one or more documents. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function readYamls(path: string): any[] {
  return parseAllDocuments(readShipped(path)).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a program to its end. */
export function runProgram(program: string, args: readonly string[], cwd = root): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (error) throw error;
  return { status, output: stdout + stderr };
}

/** Replaces what must be there; throws where it is not. */
export function substitute(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!result.includes(from)) throw new Error(`there is no ${JSON.stringify(from)} to replace`);
    result = result.replaceAll(from, () => to);
  }
  return result;
}
