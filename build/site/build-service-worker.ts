/** Bundles service-worker.ts with the list of files that it keeps. */
import { fileURLToPath } from "node:url";

/** The script of a version of the site; `files` are relative to the site's folder. */
export async function buildServiceWorker(version: string, files: readonly string[]): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(new URL("service-worker.ts", import.meta.url))],
    target: "browser",
    minify: true,
    // The address of the folder is the first page's, too.
    define: { VERSION: JSON.stringify(version), FILES: JSON.stringify(["./", ...files]) },
  });
  return outputs[0]!.text();
}
