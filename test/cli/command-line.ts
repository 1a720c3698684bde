/** Runs the command line in a child process, as a person would, under each runtime it is made for. */
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isAll } from "../support/some-strings.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runtimes by name, with the program that npm brings. */
export const runtimes = {
  Bun: `${root}node_modules/.bin/bun`,
  Node: `${root}test/node_modules/.bin/node`,
} as const;

/** The runtimes that a test of a process runs on, with their names: both, or with TEST_ONE_RUNTIME, as `npm test` sets it, this one. */
export function testedOn(one: keyof typeof runtimes = "Bun"): readonly (readonly [name: string, runtime: string])[] {
  return Object.entries(runtimes).filter(([name]) => isAll || name === one);
}

/** What a runtime runs as a person would have it: Bun the sources, as `npm start` does, Node the bundle that npm installs. */
export function entryOf(runtime: string): string {
  return runtime.endsWith("node") ? `${root}dist/cli.js` : `${root}src/cli/main.ts`;
}

/** Commands keep nothing in the cache of the person who runs the tests, and find nothing there. */
export const cacheFolder = join(tmpdir(), `whocrawls-cache-${process.pid}`);

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `whocrawls …args` with `input` on standard input and `env` added to the environment; resolves when it has ended. */
export async function runWhocrawls(
  runtime: string,
  args: readonly string[],
  input: string | Uint8Array = "",
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(runtime, [entryOf(runtime), ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, XDG_CACHE_HOME: cacheFolder, ...env },
  });
  // A command that does not read its input may be gone before it is written.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [stdout, stderr, code] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { code, stdout, stderr };
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
