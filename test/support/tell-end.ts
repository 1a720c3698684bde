/** Loaded before each test file on Bun: tells test/bun-output.ts when the file has ended, because Bun prints the results of several files in turn. */
import { relative } from "node:path";
import { after } from "node:test";

after(() => console.log(`(ended) ${relative(process.cwd(), process.argv[1]!)}`));
