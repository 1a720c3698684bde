/** Loaded before each test file on Bun: tells test/bun-output.ts when the file has ended, because Bun prints the results of several files in turn. */
import { relative } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

after(() => console.log(`(ended) ${relative(root, process.argv[1]!)}`));
