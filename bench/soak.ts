/**
 * `npm run bench:soak [-- --minutes 10]`: mixed load on a service of several workers with a PostgreSQL record, while
 * workers are killed, the database is stopped and started, and slow clients hold on. Says what was sent, answered, failed
 * and recorded, and draws memory over time as docs/measurements/soak.svg.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { parseArgs } from "node:util";
import { runSql, startPostgres } from "../test/support/postgres.ts";
import { type Point, toPlot } from "./service/plot.ts";
import { childrenOf, residentBytes } from "./service/processes.ts";
import { bun, root, startServer } from "./service/servers.ts";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    out: { type: "string", default: "docs/measurements/soak.svg" },
  },
});
const totalMs = Number(options.minutes) * 60_000;

const postgres = await startPostgres();
if (!postgres?.stop || !postgres.start) throw new Error("a soak needs a PostgreSQL of its own, to stop and start");
const database = await postgres.createDatabase();
const server = await startServer([bun, `${root}src/cli/main.ts`, "serve", "--workers", "2", "--record", database]);
const base = `http://127.0.0.1:${server.port}`;

const started = performance.now();
const elapsed = () => performance.now() - started;
const isOver = () => elapsed() >= totalMs;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const counts = { sent: 0, answered: 0, checks: 0, wrong: 0, cutOff: 0, listsCutOff: 0, failed: 0 };
const failures: string[] = [];
const events: { ms: number; what: string }[] = [];
/** Connections that break within this time of a worker's death were cut off by it. */
let lastKillAt = Number.NEGATIVE_INFINITY;
/** A list that has begun can only be broken off when the database goes away under it; a Check must not notice. */
let lastStopAt = Number.NEGATIVE_INFINITY;
const say = (what: string) => {
  events.push({ ms: elapsed(), what });
  console.error(`${(elapsed() / 1000).toFixed(0)} s: ${what}`);
};

/** One client: mostly Checks, of strings that are usual and of strings that nobody has seen, and now and then a List. */
async function behave(client: number): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    const isList = turn % 200 === 199;
    const useragent = turn % 5 === 0 ? `Soak/${client}.${turn} (nobody has seen this)` : `Usual-bot/${turn % 500}`;
    counts.sent++;
    try {
      const response = isList
        ? await fetch(`${base}/RestService/List?limit=100&offset=${turn % 5000}`)
        : await fetch(`${base}/RestService/Check`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ useragent }),
          });
      const text = await response.text();
      counts.answered++;
      if (response.status !== 200 || !(isList || text.includes(useragent))) counts.wrong++;
      else if (!isList) counts.checks++;
    } catch (error) {
      if (performance.now() - lastKillAt < 1000) counts.cutOff++;
      else if (isList && performance.now() - lastStopAt < 1000) counts.listsCutOff++;
      else {
        counts.failed++;
        failures.push(`${(elapsed() / 1000).toFixed(1)} s: ${isList ? "List" : "Check"}: ${(error as Error).message}`);
      }
    }
    await pause(2);
  }
}

/** Opens connections that send a byte a second and never finish. */
async function crawl(): Promise<void> {
  while (!isOver()) {
    const socket = connect(server.port, "127.0.0.1").on("error", () => {});
    socket.write("POST /RestService/Check HTTP/1.1\r\nContent-Length: 1000\r\nX-Slow: ");
    const timer = setInterval(() => socket.write("x"), 1000);
    socket.once("close", () => clearInterval(timer));
    await pause(200);
  }
}

async function killWorkers(): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    await pause(Math.min(30_000, totalMs / 8));
    if (elapsed() > totalMs - 5000) return;
    if (turn % 3 === 2) {
      say("rolling restart (SIGHUP)");
      process.kill(server.pid, "SIGHUP");
      continue;
    }
    const workers = childrenOf(server.pid);
    const victim = workers[turn % workers.length];
    if (victim === undefined) continue;
    say("a worker is killed (SIGKILL)");
    lastKillAt = performance.now();
    process.kill(victim, "SIGKILL");
  }
}

async function stopDatabase(): Promise<void> {
  for (let turn = 0; ; turn++) {
    await pause(Math.min(100_000, totalMs / 4));
    if (elapsed() > totalMs - Math.min(40_000, totalMs / 4)) return;
    say(`the database is stopped (${turn % 2 === 0 ? "crash" : "orderly"})`);
    lastStopAt = performance.now();
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

await Promise.all([
  ...Array.from({ length: 24 }, (_, client) => behave(client)),
  crawl(),
  killWorkers(),
  stopDatabase(),
  watch(),
]);
const dropped = (await (await fetch(`${base}/metrics`)).text()).match(/^whocrawls_record_dropped_total (\d+)/m)?.[1];
await server.stop();
const [row] = await runSql(database, "SELECT sum(count) AS evaluations, count(*) AS strings FROM whocrawls_strings");
await postgres.close();

const kills = events.filter(({ what }) => what.includes("killed")).length;
const version = (JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string }).version;
console.log(`| whocrawls ${version}, 2 workers, PostgreSQL, ${options.minutes} minutes | |
|---|--:|
| requests sent | ${counts.sent} |
| answered | ${counts.answered} |
| answered wrongly | ${counts.wrong} |
| cut off by the death of a worker (${kills} were killed) | ${counts.cutOff} |
| lists cut off when the database went away under them | ${counts.listsCutOff} |
| failed otherwise | ${counts.failed} |
| Checks answered | ${counts.checks} |
| recorded evaluations | ${row?.evaluations} |
| recorded strings | ${row?.strings} |
| dropped while the database was away, as counted | ${dropped} |
| memory of all processes, MB: after a tenth of the time | ${memory[Math.floor(memory.length / 10)]?.y.toFixed(0)} |
| highest | ${Math.max(...memory.map(({ y }) => y)).toFixed(0)} |
| at the end | ${memory.at(-1)?.y.toFixed(0)} |`);
for (const failure of failures.slice(0, 20)) console.log(failure);
writeFileSync(
  `${root}${options.out}`,
  toPlot(
    memory,
    events.map(({ ms, what }) => ({ x: ms / 1000, what })),
  ),
);
process.exit(counts.failed + counts.wrong > 0 ? 1 : 0);
