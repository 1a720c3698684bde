/**
 * Builds what is older than its sources, and nothing else. `npm install` runs it, and so do `npm test` and `npx whocrawls` in
 * a clone: the next command always knows what was changed, and waits only where something was.
 */
import { fileURLToPath } from "node:url";
import { bundle, generated, isStale } from "./stale.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

if (isStale(generated, root)) await import("./generate.ts");
if (isStale(bundle, root)) await import("./bundle.ts");
