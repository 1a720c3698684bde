/**
 * `npm run bench:reload [-- --runtime node --workers 2 --times 20]`: 2,000 Checks a second while the catalogue changes again and
 * again. Says what failed, how long answers took in the second of the swap and without one, and how memory developed.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { detector } from "../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../src/detect/file/catalogue-file.ts";
import type { Load, LoadResult } from "./service/load.ts";
import { childrenOf, residentBytes } from "./service/processes.ts";
import { bun, node, root, startServer } from "./service/servers.ts";

const { values: options } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: ["bun", "node"] },
    workers: { type: "string", multiple: true, default: ["1", "2"] },
    times: { type: "string", default: "20" },
  },
});
const times = Number(options.times);
/** A change is noticed after two seconds at most; the rest is for opening the catalogue. */
const roundMs = 4500;
const settledAfter = 3;

/** The whole catalogue under another version: what is loaded is as large as what a user has. */
const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-reload-"));
const file = join(folder, "own.catalogue");
function put(number: number): void {
  writeFileSync(`${file}.new`, encodeCatalogue({ ...detector.catalogue, version: `${detector.version}.${number}` }));
  renameSync(`${file}.new`, file);
}

async function run(load: Omit<Load, "connections" | "rate">): Promise<LoadResult> {
  const all: Load = { ...load, connections: 16, rate: 2000, distinct: 20_000 };
  const child = spawn(bun, [`${root}bench/service/load.ts`, JSON.stringify(all)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) text += chunk;
  return JSON.parse(text) as LoadResult;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function bench(runtime: string, workers: string): Promise<void> {
  put(0);
  const command = [runtime === "bun" ? bun : node, `${root}dist/cli.js`, "serve", "--workers", workers];
  const server = await startServer([...command, "--catalogue", file, "--verify-refresh", "off", "--record", "memory:"]);
  try {
    const read = (): number =>
      [server.pid, ...childrenOf(server.pid)].reduce((sum, pid) => sum + residentBytes(pid), 0);
    await run({ port: server.port, ms: 5000 });
    const controls = [await run({ port: server.port, ms: roundMs }), await run({ port: server.port, ms: roundMs })];
    const rounds: LoadResult[] = [];
    const memory: number[] = [];
    for (let number = 1; number <= times; number++) {
      const running = run({ port: server.port, ms: roundMs });
      put(number);
      rounds.push(await running);
      memory.push(read());
    }
    const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    const loaded = /^whocrawls_catalogue_reloads_total\{outcome="loaded"\} (\d+)$/m.exec(page)?.[1];
    const settled = memory.slice(settledAfter - 1);
    const first = settled[0] ?? 0;
    const worst = rounds.map(({ worstP99 }) => worstP99);
    console.log(
      `${runtime}, ${workers} worker(s): ${loaded} of ${times} reloads; ` +
        `${rounds.reduce((sum, { failed }) => sum + failed, 0)} of ${rounds.reduce((sum, { answered }) => sum + answered, 0)} requests failed; ` +
        `p99 of the worst second of a reload: median ${ms(median(worst))}, most ${ms(Math.max(...worst))}; ` +
        `without one: ${controls.map(({ worstP99 }) => ms(worstP99)).join(", ")}; ` +
        `memory after ${settledAfter} reloads ${megabytes(first)}, after ${times} ${megabytes(memory.at(-1) ?? 0)}, ` +
        `least ${megabytes(Math.min(...settled))}, most ${megabytes(Math.max(...settled))}`,
    );
  } finally {
    await server.stop();
  }
}

for (const runtime of options.runtime) for (const workers of options.workers) await bench(runtime, workers);
rmSync(folder, { recursive: true });
