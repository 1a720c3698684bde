/** The command line as a program. run.ts finds and runs the command. */
import { endQuietlyOnClosedPipe } from "./print-output.ts";
import { run } from "./run.ts";

endQuietlyOnClosedPipe();
process.exitCode = await run(process.argv.slice(2));
