/**
 * `npm run site -- --out FOLDER`: writes a static demonstration: the documents, the report of a sample log, and the pages of the service,
 * of which those for typing, searching and scanning work in the browser. Any web server can serve it, below any path.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import "../prepare.ts";
import { readRepositoryPage } from "../repository-page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({ options: { out: { type: "string" } } });
if (values.out === undefined) {
  console.error("Specify the output folder: npm run site -- --out site");
  process.exit(2);
}
const target = resolve(values.out);
if (existsSync(target)) {
  console.error(`${values.out} already exists: remove it, or choose another folder.`);
  process.exit(2);
}

// Imported only now, because they import what prepare.ts generates.
const [{ renderPages }, { readDocuments }] = await Promise.all([import("./render-pages.ts"), import("./documents.ts")]);

const log = readFileSync(`${root}docs/sample.log`, "utf8").repeat(10);
const files = new Map<string, string | Uint8Array>([
  ...(await renderPages(readDocuments(root, readRepositoryPage(root)))),
  ["sample.log.gz", gzipSync(log, { level: 9 })],
  ["report.html", scan(log)],
  ...globSync("dist/web/*.{js,css,svg}", { cwd: root }).map((path) => {
    const name = path.replace("dist/web/", "assets/");
    return [name, readFileSync(root + path)] as const;
  }),
]);
for (const [name, content] of files) {
  mkdirSync(dirname(join(target, name)), { recursive: true });
  writeFileSync(join(target, name), content);
}
const bytes = [...files.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
console.log(`${values.out}: ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB`);

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
