/** The command line as a program. run.ts finds and runs the command. */

import { run } from "./run.ts";
import { endQuietlyOnClosedPipe } from "./standard-streams.ts";

endQuietlyOnClosedPipe();
process.exitCode = await run(process.argv.slice(2));
