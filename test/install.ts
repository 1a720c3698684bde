/**
 * Installs the packages of the tests and benchmarks, test/package.json, unless they are: `npm test`, `npm run types`, `npm run lint`
 * and the benchmarks run it first; `npm test -- --all` runs it with `--all`, for the devDependencies, too. It removes none of those that are
 * there. Says so in one line. Several processes may run it at once: one installs, the others wait.
 */
import { Database } from "bun:sqlite";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const modules = `${folder}node_modules`;
/** Benchmarks find the same packages: runtimes look for packages in the folders above a file. */
const link = fileURLToPath(new URL("../bench/node_modules", import.meta.url));
/** Each holds the digest of the files that packages were installed by; written when they are there: those that all need, and all of them. */
const stamps = { most: `${modules}/.installed`, all: `${modules}/.installed-all` };
const isAll = process.argv.includes("--all");

if (!isInstalled()) {
  console.log("Installing the packages of the tests, which test/package-lock.json names.");
  mkdirSync(modules, { recursive: true });
  // The lock of a database: the system releases it however this process ends.
  const lock = new Database(`${modules}/.install.sqlite`);
  lock.run("PRAGMA busy_timeout = 600000");
  lock.run("BEGIN EXCLUSIVE");
  if (!isInstalled()) install();
  lock.close();
}

function install(): void {
  const { devDependencies = {} } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  // npm removes what it is to omit.
  const omitsNone = isAll || Object.keys(devDependencies).some((name) => existsSync(`${modules}/${name}`));
  for (const stamp of Object.values(stamps)) rmSync(stamp, { force: true });
  // The prefix, because `npm --prefix FOLDER test` hands on its own; unsaved, because versions of npm write the lock file differently.
  const args = ["install", omitsNone ? "--include=dev" : "--omit=dev", "--no-save", "--prefix", "."];
  // npm hands its settings on, too, and .npmrc of the project includes what is to be omitted here.
  const { npm_config_include: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: folder,
    env,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(`${stdout ?? ""}${stderr ?? ""}\`npm install\` failed in test/.`);
    process.exit(1);
  }
  rmSync(link, { force: true });
  symlinkSync("../test/node_modules", link, "junction");
  if (omitsNone) writeFileSync(stamps.all, digest());
  writeFileSync(stamps.most, digest());
}

function isInstalled(): boolean {
  const stamp = isAll ? stamps.all : stamps.most;
  return existsSync(stamp) && existsSync(link) && readFileSync(stamp, "utf8") === digest();
}

function digest(): string {
  const hash = createHash("sha256");
  for (const name of ["package.json", "package-lock.json"]) hash.update(readFileSync(`${folder}${name}`));
  return hash.digest("hex");
}
