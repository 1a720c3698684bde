/**
 * The entry of the executable that `npm run binary` makes. The executable is its own runtime: it starts its processes as
 * `process.execPath PROGRAM …`, just as Node and Bun are started, with a program embedded in it.
 */
import { dirname } from "node:path";

const program = process.argv[2];
if (program !== undefined && dirname(program) === import.meta.dir) process.argv.splice(1, 1);

await import("./main.ts");
