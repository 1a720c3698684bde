/**
 * Builds only what is older than its sources. `npm install` and `npm test` run it. `npx whocrawls` in a clone runs
 * it once, when npx installs the clone; after a change of data or code run `npm run prepare`.
 */
import { fileURLToPath } from "node:url";
import { bundle, generated, isStale, reference } from "./stale.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

if (isStale(generated, root)) await import("./generate.ts");
if (isStale(reference, root)) await import("./reference.ts");
if (isStale(bundle, root)) await import("./bundle.ts");
