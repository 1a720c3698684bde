/**
 * Unpacks the browser that npm brings, once for all: half a minute's work on a new machine. Its package would do so in the
 * folder for temporary files, where a second process takes a program that the first has not written to its end.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";

const modules = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** Resolves to the path of the program. */
export async function unpackBrowser(): Promise<string> {
  const { version } = JSON.parse(readFileSync(`${modules}@sparticuz/chromium/package.json`, "utf8")) as {
    version: string;
  };
  const folder = `${modules}.cache/chromium-${version}`;
  const program = join(folder, "chromium");
  if (existsSync(program)) return program;
  mkdirSync(`${modules}.cache`, { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  const temporary = process.env.TMPDIR;
  process.env.TMPDIR = fresh;
  try {
    await chromium.executablePath();
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(program)) throw error;
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  }
  return program;
}
