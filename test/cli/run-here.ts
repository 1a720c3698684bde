/** Runs a command line in the test's own process: for what commands print, which does not depend on the process. */
import { Readable } from "node:stream";
import { run } from "../../src/cli/run.ts";
import { cacheFolder, type Outcome } from "./command-line.ts";

/** Thrown in place of an exit: a command that ends its process while DNS is still asked does nothing after it. */
class Exit {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}

let last: Promise<unknown> = Promise.resolve();

/** As runWhocrawls; one after the other, because a process has one input, one output and one environment. */
export function runHere(
  args: readonly string[],
  input: string | Uint8Array = "",
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const outcome = last.then(() => runNow(args, input, env));
  last = outcome.catch(() => {});
  return outcome;
}

async function runNow(
  args: readonly string[],
  input: string | Uint8Array,
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const written = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const streams = [process.stdout, process.stderr].map(({ write, end }) => ({ write, end }));
  const before = { env: process.env, exit: process.exit };
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin")!;
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (chunk: string | Uint8Array, ...[callback]: unknown[]) => {
      written[name].push(Buffer.from(chunk));
      if (typeof callback === "function") callback();
      return true;
    };
    process[name].end = ((done: () => void) => done()) as typeof process.stdout.end;
  }
  Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([Buffer.from(input)]) });
  process.env = { ...before.env, XDG_CACHE_HOME: cacheFolder, ...env };
  process.exit = (code) => {
    throw new Exit(Number(code));
  };
  try {
    const code = await run(args).catch((error: unknown) => {
      if (error instanceof Exit) return error.code;
      throw error;
    });
    return { code, stdout: Buffer.concat(written.stdout).toString(), stderr: Buffer.concat(written.stderr).toString() };
  } finally {
    Object.assign(process.stdout, streams[0]);
    Object.assign(process.stderr, streams[1]);
    Object.defineProperty(process, "stdin", stdin);
    process.env = before.env;
    process.exit = before.exit;
  }
}
