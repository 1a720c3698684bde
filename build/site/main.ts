/**
 * `npm run site -- --out FOLDER`: writes a demonstration as static files: the pages of the service, of which those for typing, searching
 * and scanning work in the browser, the documents, and the report of a sample log. Any web server serves it, below any path.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import "../prepare.ts";
import { readRepositoryPage } from "../repository-page.ts";
import { buildServiceWorker } from "./build-service-worker.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({ options: { out: { type: "string" } } });
if (values.out === undefined) {
  console.error("Say where to write the site: npm run site -- --out site");
  process.exit(2);
}
const target = resolve(values.out);
// A site is replaced, but no other folder or file, even one with a service worker of its own.
if (existsSync(target) && !isReplaceable(target)) {
  console.error(`${values.out} is not a folder of a site; name another folder.`);
  process.exit(2);
}

// Only now: they import what prepare.ts generates.
const [{ toSampleLog }, { renderPages }, { readDocuments }] = await Promise.all([
  import("../sample-log.ts"),
  import("./render-pages.ts"),
  import("./documents.ts"),
]);

const log = toSampleLog(10_000);
const files = new Map<string, string | Uint8Array>([
  ...(await renderPages(readDocuments(root, readRepositoryPage(root)))),
  ["sample.log.gz", gzipSync(log, { level: 9 })],
  ["report.html", scan(log)],
  ...globSync("dist/web/*.{js,css,svg}", { cwd: root }).map((path) => {
    const name = path.replace("dist/web/", "assets/");
    return [name, readFileSync(root + path)] as const;
  }),
]);
// Names of assets have the hash of their content, but other names stay: the version is the hash of all files.
const hash = createHash("sha256");
for (const [name, content] of files) hash.update(name).update(content);
const version = hash.digest("hex").slice(0, 16);
files.set("service-worker.js", await buildServiceWorker(version, [...files.keys()]));

rmSync(target, { recursive: true, force: true });
for (const [name, content] of files) {
  mkdirSync(dirname(join(target, name)), { recursive: true });
  writeFileSync(join(target, name), content);
}
const bytes = [...files.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
console.log(`${values.out}: ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB, version ${version}`);

function isReplaceable(path: string): boolean {
  if (!statSync(path).isDirectory()) return false;
  const worker = join(path, "service-worker.js");
  return readdirSync(path).length === 0 || (existsSync(worker) && readFileSync(worker, "utf8").includes("whocrawls "));
}

/** The report that the command line writes of a log. */
function scan(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-site-"));
  writeFileSync(join(folder, "sample.log"), text);
  const args = [`${root}src/cli/main.ts`, "scan", "--format", "html", join(folder, "sample.log")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1e8 });
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(`The sample log cannot be scanned: ${stderr}`);
  return stdout;
}
