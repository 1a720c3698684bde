/** The command line as a program. run.ts finds and runs the command. */

import { run } from "./run.ts";
import { endOnFailedOutput } from "./standard-streams.ts";

const args = process.argv.slice(2);
// With this option, 1 is a result.
endOnFailedOutput(args.includes("--exit-code") ? 2 : 1);
process.exitCode = await run(args);
