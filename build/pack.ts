/**
 * `npm run pack`: writes whocrawls-VERSION.tgz, the package as it is published. The addresses come from the git remote
 * `origin`; without one they are left out. `npm run pack -- FOLDER` writes it there.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { toPackedManifest, toPackedReadme } from "./packed-files.ts";
import { readRepositoryPage } from "./repository-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = resolve(process.argv[2] ?? root);
const page = readRepositoryPage(root);
if (page === undefined) console.error("There is no git remote `origin`, so the package has no repository address.");

const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const folder = mkdtempSync(join(tmpdir(), "whocrawls-pack-"));
for (const name of [...manifest.files, "LICENSE"]) cpSync(join(root, name), join(folder, name), { recursive: true });
const readme = readFileSync(`${root}README.md`, "utf8");
writeFileSync(join(folder, "README.md"), toPackedReadme(readme, page, `v${manifest.version}`));
writeFileSync(join(folder, "package.json"), `${JSON.stringify(toPackedManifest(manifest, page), null, 2)}\n`);
const { status } = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", target], {
  cwd: folder,
  stdio: ["ignore", "inherit", "inherit"],
  shell: process.platform === "win32",
});
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
