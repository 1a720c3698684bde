/**
 * `npm run bench:soak [-- --minutes 10 --runtime node]`: ordinary and hostile clients on a service of two workers with a
 * PostgreSQL record, while workers are killed and the database is stopped and started. Says what was sent, answered, failed
 * and recorded, how long /healthz took, and draws memory over time.
 */
import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runSql, startPostgres } from "../test/support/postgres.ts";
import { type Point, toPlot } from "./service/plot.ts";
import { childrenOf, residentBytes } from "./service/processes.ts";
import { bun, node, root, startServer } from "./service/servers.ts";
import type { Event, Summary } from "./soak/client.ts";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    runtime: { type: "string", default: "bun" },
    out: { type: "string" },
  },
});
const runtime = { bun, node }[options.runtime];
if (runtime === undefined) throw new Error("--runtime is bun or node");
const totalMs = Number(options.minutes) * 60_000;

const postgres = await startPostgres();
if (!postgres?.stop || !postgres.start) throw new Error("a soak needs a PostgreSQL of its own, to stop and start");
const database = await postgres.createDatabase();
const server = await startServer([runtime, `${root}src/cli/main.ts`, "serve", "--workers", "2", "--record", database]);

const started = performance.now();
const elapsed = () => performance.now() - started;
const isOver = () => elapsed() >= totalMs;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const events: { ms: number; what: string }[] = [];
const say = (what: string) => {
  events.push({ ms: elapsed(), what });
  console.error(`${(elapsed() / 1000).toFixed(0)} s: ${what}`);
};

// Processes of their own, so that the clients do not delay what they measure.
const clients = ["ordinary", "hostile", "health"].map((name) =>
  fork(`${root}bench/soak/${name}.ts`, [String(server.port), options.minutes], { execPath: bun, execArgv: [] }),
);
const summaries = clients.map(
  (client) =>
    new Promise<Summary>((resolve, reject) => {
      client.once("message", resolve);
      client.once("exit", (code) => reject(new Error(`a client ended with ${code}`)));
    }),
);
const tell = async (event: Event) => {
  for (const client of clients) client.send(event);
  // So that they know before they notice.
  await pause(50);
};

async function killWorkers(): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    await pause(Math.min(30_000, totalMs / 8));
    if (elapsed() > totalMs - 5000) return;
    if (turn % 3 === 2) {
      say("rolling restart (SIGHUP)");
      await tell("restart");
      process.kill(server.pid, "SIGHUP");
      continue;
    }
    const workers = childrenOf(server.pid);
    const victim = workers[turn % workers.length];
    if (victim === undefined) continue;
    say("a worker is killed (SIGKILL)");
    await tell("kill");
    process.kill(victim, "SIGKILL");
  }
}

async function stopDatabase(): Promise<void> {
  for (let turn = 0; ; turn++) {
    await pause(Math.min(100_000, totalMs / 4));
    if (elapsed() > totalMs - Math.min(40_000, totalMs / 4)) return;
    say(`the database is stopped (${turn % 2 === 0 ? "crash" : "orderly"})`);
    await tell("stop");
    await postgres?.stop?.(turn % 2 === 0 ? "crash" : "orderly");
    await pause(Math.min(15_000, totalMs / 10));
    await postgres?.start?.();
    say("the database is started");
  }
}

const memory: Point[] = [];
async function watch(): Promise<void> {
  while (!isOver()) {
    const bytes = [server.pid, ...childrenOf(server.pid)].map(residentBytes).reduce((sum, each) => sum + each, 0);
    memory.push({ x: elapsed() / 1000, y: bytes / 1e6 });
    await pause(Math.min(2000, totalMs / 60));
  }
}

/** The middle value of one quarter of the time. */
function medianOf(quarter: number): string {
  const part = memory.slice((memory.length * quarter) / 4, (memory.length * (quarter + 1)) / 4);
  return (
    part
      .map(({ y }) => y)
      .sort((a, b) => a - b)
      [Math.floor(part.length / 2)]?.toFixed(0) ?? ""
  );
}

const [found] = await Promise.all([Promise.all(summaries), killWorkers(), stopDatabase(), watch()]);
const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
await server.stop();
const [row] = await runSql(database, "SELECT sum(count) AS evaluations, count(*) AS strings FROM whocrawls_strings");
await postgres.close();

const version = (JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string }).version;
const rows: (readonly [string, string])[] = [
  ...found.flatMap((summary) => summary.rows),
  ["workers killed", String(events.filter(({ what }) => what.includes("killed")).length)],
  ["recorded evaluations", String(row?.evaluations)],
  ["recorded strings", String(row?.strings)],
  ["dropped, as counted", metrics.match(/^whocrawls_record_dropped_total (\d+)/m)?.[1] ?? "?"],
  ["memory of all processes, MB: median of each quarter of the time", [0, 1, 2, 3].map(medianOf).join(", ")],
  ["highest", Math.max(...memory.map(({ y }) => y)).toFixed(0)],
];
console.log(
  `| whocrawls ${version} on ${options.runtime}, 2 workers, PostgreSQL, ${options.minutes} minutes | |\n|---|--:|`,
);
for (const [name, value] of rows) console.log(`| ${name} | ${value} |`);
const failures = found.flatMap((summary) => summary.failures);
for (const failure of failures.slice(0, 40)) console.log(failure);
writeFileSync(
  options.out ?? `${root}docs/measurements/soak-${options.runtime}.svg`,
  toPlot(
    memory,
    events.map(({ ms, what }) => ({ x: ms / 1000, what })),
  ),
);
process.exit(failures.length > 0 ? 1 : 0);
