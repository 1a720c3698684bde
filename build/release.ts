/**
 * `npm run release -- 1.2.0`: stops if something is not pinned or no remote tells where the repository is; runs the tests, writes the
 * version and its changelog section, commits, and makes the tag. Pushing the tag publishes (.github/workflows/release.yaml); this
 * script pushes nothing.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toReleasedChangelog } from "./released-changelog.ts";
import { readRepositoryPage } from "./repository-page.ts";
import { unpinned } from "./unpinned.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const version = process.argv[2] ?? "";

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail(`${program} ${args.join(" ")} failed; nothing was released.`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

if (!/^\d+\.\d+\.\d+$/.test(version)) fail("Specify the version to release: npm run release -- 1.2.0");
const changes = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" }).stdout;
if (changes !== "") fail(`Commit or remove these changes first:\n${changes}`);

const open = [...globSync(".github/workflows/*.yaml", { cwd: root }), "Dockerfile"].flatMap((file) =>
  unpinned(file, readFileSync(root + file, "utf8")),
);
if (open.length > 0) fail(`Pin these by digest first, as Renovate proposes:\n${open.join("\n")}`);

if (readRepositoryPage(root) === undefined)
  fail("The package needs the address of its repository: git remote add origin https://github.com/OWNER/NAME.git");

const path = `${root}CHANGELOG.md`;
const changelog = toReleasedChangelog(readFileSync(path, "utf8"), version, new Date());
if (changelog === undefined) fail("CHANGELOG.md has nothing under Unreleased, or already has this version.");
// Before the tests, whose build uses it.
run("npm", "run", "data:date");
run("npm", "test");
writeFileSync(path, changelog);
run("npm", "version", version, "--no-git-tag-version", "--ignore-scripts");
run("git", "commit", "--all", "--message", `Version ${version}`);
run("git", "tag", "--annotate", `v${version}`, "--message", `Version ${version}`);
console.log(`Version ${version} is committed and tagged. Publish it: git push --follow-tags`);
