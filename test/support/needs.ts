/**
 * The programs that tests start. `npm test` leaves only `common` in PATH, so on every machine a test fails that starts another program
 * without naming it in `needs`, which adds the program to PATH, or is the reason to skip the test.
 */
import {
  accessSync,
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";

/** Any test may start these: what README.md asks for, and coreutils. */
const common = `node npm git sh arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown cksum comm cp csplit cut date dd df
  dir dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls
  md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink
  realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty
  sum sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami
  yes`;

/** They compile, which takes a minute of CPU time with empty caches: only with `--all`, or in files that are named. */
const compilers = ["go", "java", "javac"];

const { PATH = "" } = process.env;
/** What programs start in their turn, other than scripts. */
const startedBy: Readonly<Record<string, readonly string[]>> = { varnishd: ["gcc", "as", "ld"] };
/** Where programs are looked for: the PATH of whoever runs the tests, and where Debian keeps servers. */
export const searchPath = process.env.TEST_PATH ?? (PATH.includes("/usr/bin") ? `${PATH}:/usr/sbin:/sbin` : PATH);

/** For test/run.ts: leaves only the common programs in PATH, of this process and those that it starts. */
export function reducePath(folder: string): void {
  Object.assign(process.env, { TEST_PATH: searchPath, TEST_FOLDER: folder });
  // Some tests start programs as another user.
  chmodSync(folder, 0o755);
  process.env.PATH = join(folder, "common");
  for (const name of common.split(/\s+/)) {
    const path = findProgram(name);
    if (path !== undefined) link(path, "common", name);
  }
}

/**
 * Says that the tests of this file start these programs. Returns false, or why they must be skipped, which `npm test` sums up in one line
 * for each program.
 */
export function needs(...programs: readonly string[]): string | false {
  const all = programs.flatMap((name) => [name, ...(startedBy[name] ?? [])]);
  const missing = all.some(isLeftOut) ? ["--all"] : all.filter((name) => !provides(name));
  for (const name of missing) noteMissing(name);
  return missing.length > 0 && `without ${missing.join(" and ")}`;
}

/** The same of a program that nobody need have; returns whether it is there. */
export function provides(name: string): boolean {
  if (isLeftOut(name)) return false;
  const path = findProgram(name);
  if (path === undefined) return false;
  const folder = process.env.TEST_FOLDER === undefined ? dirname(path) : link(path, name, name);
  const folders = (process.env.PATH ?? "").split(delimiter);
  if (!folders.includes(folder)) process.env.PATH = [...folders, folder].join(delimiter);
  return true;
}

function isLeftOut(name: string): boolean {
  return process.env.TEST_NO_COMPILERS !== undefined && compilers.includes(name);
}

const noted = new Set<string>();

/** Tells `npm test` what this file's tests are skipped for, and returns it as the reason. */
export function noteMissing(name: string): string {
  const { TEST_FOLDER } = process.env;
  if (TEST_FOLDER === undefined) console.log(`skipped without ${name}`);
  else if (!noted.has(name)) appendFileSync(join(TEST_FOLDER, "missing"), `${name}\n`);
  noted.add(name);
  return `without ${name}`;
}

/** A suite whose tests all need these programs; without them it is one skipped test, because Bun does not count a skipped suite. */
export function describeWith(programs: readonly string[], name: string, suite: () => void): void {
  const skip = needs(...programs);
  if (skip === false) describe(name, suite);
  else it(name, { skip }, () => {});
}

function findProgram(name: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    });
}

/**
 * Makes a program the only one in a folder, or one of the common ones, and returns the folder. A script, such as a shim of a version manager,
 * starts what it needs itself: it gets the whole PATH.
 */
function link(path: string, folder: string, name: string): string {
  const place = join(process.env.TEST_FOLDER!, folder);
  mkdirSync(place, { recursive: true });
  const wrapper = `#!/bin/sh\nPATH='${searchPath.replaceAll("'", "'\\''")}' exec '${path.replaceAll("'", "'\\''")}' "$@"\n`;
  // Renamed, because other test files do the same at the same time.
  const made = join(process.env.TEST_FOLDER!, `${name}-${process.pid}`);
  if (isScript(path)) writeFileSync(made, wrapper, { mode: 0o755 });
  else symlinkSync(path, made);
  renameSync(made, join(place, name));
  return place;
}

function isScript(path: string): boolean {
  const file = openSync(path, "r");
  const start = Buffer.alloc(2);
  readSync(file, start);
  closeSync(file);
  return start.toString() === "#!";
}
