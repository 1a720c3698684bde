/** Runs a command line in the test's own process: for what commands print, which does not depend on the process. */
import { run } from "../../src/cli/run.ts";
import type { Outcome } from "./command-line.ts";

let last: Promise<unknown> = Promise.resolve();

/** As runWhocrawls, without standard input; one after the other, because a process has one output. */
export function runHere(args: readonly string[]): Promise<Outcome> {
  const outcome = last.then(() => runNow(args));
  last = outcome.catch(() => {});
  return outcome;
}

async function runNow(args: readonly string[]): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const before = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (chunk: string | Uint8Array) => {
      written[name] += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
      return true;
    };
  }
  try {
    return { code: await run(args), ...written };
  } finally {
    process.stdout.write = before.stdout;
    process.stderr.write = before.stderr;
  }
}
