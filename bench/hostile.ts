/**
 * `npm run bench:hostile`: what hostile clients cost a fresh service on each runtime, in time and memory. Options: `--strings`
 * how many strings of 2 kB are recorded before, `--only` a word of the rows that are wanted.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { createSqliteStore } from "../src/record/sqlite/sqlite-store.ts";
import { exchange, get, stall, statusOf, toCheck, type Watched, watch } from "./hostile/clients.ts";
import { residentBytes, stolenShare } from "./service/processes.ts";
import { bun, node, root, type Server, startServer } from "./service/servers.ts";

const { values: options } = parseArgs({
  options: { strings: { type: "string", default: "99000" }, only: { type: "string", default: "" } },
});
const folder = mkdtempSync(join(tmpdir(), "whocrawls-hostile-"));
const filled = join(folder, "filled.sqlite");
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Records distinct strings of 2,000 characters in a file that each service gets a copy of. */
async function fill(path: string, count: number): Promise<void> {
  const store = createSqliteStore({ path });
  await store.open();
  await store.close();
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA synchronous = OFF;
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO strings (digest, useragent, truncated, crawler, count, first_seen, last_seen)
    SELECT randomblob(16), substr('Mozilla/5.0 Load/' || n || ' ' || hex(randomblob(1000)), 1, 2000), 0, 0, 1, n, n FROM numbers`);
  db.close();
}

type Row = (runtime: string) => Promise<string>;

/** Runs with a fresh service; `record` is a file of recorded strings to begin with. */
async function withService<Value>(
  runtime: string,
  flags: readonly string[],
  use: (server: Server, record: string) => Promise<Value>,
): Promise<Value> {
  const path = join(folder, `${Math.random()}.sqlite`);
  if (!flags.includes("--record")) copyFileSync(filled, path);
  const record = flags.includes("--record") ? [] : ["--record", path];
  const server = await startServer([runtime, `${root}dist/cli.js`, "serve", ...record, ...flags]);
  try {
    return await use(server, path);
  } finally {
    await server.stop();
    rmSync(path, { force: true });
  }
}

const off = ["--record", "off"];

function stalledLists(count: number, head: string): Row {
  return (runtime) =>
    withService(runtime, [], async ({ port, pid }) => {
      await exchange(port, get("/RestService/List?limit=1", "Connection: close"));
      await sleep(500);
      const idle = residentBytes(pid);
      const sockets = await stall(port, count, head);
      const watched = await watch(port, pid, 4000);
      for (const socket of sockets) socket.destroy();
      await sleep(2000);
      const left = residentBytes(pid) - idle;
      return `${mb(watched.mostBytes - idle)} above idle, ${mb(left)} after; ${toTimes(watched)}`;
    });
}

const toTimes = ({ healthP99, checkP99 }: Watched) =>
  `p99 /healthz ${healthP99.toFixed(0)} ms, Check ${checkP99.toFixed(0)} ms`;

/** Checks of strings that tell the time, twenty a second; `answered` is the newest that was answered. */
function checkClock(port: number) {
  const clock = { answered: 0, isOver: false };
  const run = async () => {
    for (; !clock.isOver; await sleep(50)) {
      const now = Date.now();
      if (statusOf(await exchange(port, toCheck(`Clock/${now}`))) === "200")
        clock.answered = Math.max(clock.answered, now);
    }
  };
  return Object.assign(clock, { ended: run() });
}

/** The newest of these strings that a record has. */
function newestRecorded(path: string): number {
  const db = new DatabaseSync(path);
  const row = db.prepare("SELECT useragent FROM strings ORDER BY last_seen DESC LIMIT 200").all() as {
    useragent: string;
  }[];
  db.close();
  return Math.max(0, ...row.map(({ useragent }) => Number(/^Clock\/(\d+)$/.exec(useragent)?.[1] ?? 0)));
}

/** A header field under so many spellings of its name. */
const spellings = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      [..."signature-inputs"].map((letter, bit) => (at & (1 << bit) ? letter.toUpperCase() : letter)).join(""),
      "",
    ]),
  );

const list = "/RestService/List/json";
const rows: Readonly<Record<string, Row>> = {
  "500 lists that are not read": stalledLists(500, get(list)),
  "500 of them with gzip": stalledLists(500, get(list, "Accept-Encoding: gzip")),
  "500 of the catalogue alone": stalledLists(500, get(`${list}?source=catalogue`)),
  "20 clients search, and the process is killed": (runtime) =>
    withService(runtime, [], async (server, path) => {
      const clock = checkClock(server.port);
      const searches = Array.from({ length: 20 }, async () => {
        const start = performance.now();
        const answer = await exchange(server.port, get(`${list}?source=evaluated&q=zzzz`, "Connection: close"), 20_000);
        return `${statusOf(answer)} after ${((performance.now() - start) / 1000).toFixed(0)} s`;
      });
      const watched = await watch(server.port, server.pid, 5000);
      process.kill(server.pid, "SIGKILL");
      clock.isOver = true;
      const { answered } = clock;
      const ended = new Set(await Promise.all([...searches, clock.ended.then(() => "")]));
      const lost = (answered - newestRecorded(path)) / 1000;
      return `${[...ended].filter(Boolean).join(", ")}; ${lost.toFixed(1)} s lost; ${toTimes(watched)}`;
    }),
  "60 bulk clients send as fast as they can": (runtime) =>
    withService(runtime, off, async ({ port, pid }) => {
      const idle = residentBytes(pid);
      const clients = new Worker(new URL("hostile/bulk-clients.ts", import.meta.url), {
        workerData: { port, count: 60 },
      });
      await sleep(500);
      const watched = await watch(port, pid, 4000);
      await clients.terminate();
      return `${mb(watched.mostBytes - idle)} above idle; ${toTimes(watched)}`;
    }),
  "a field of 60,000 blanks, 40,000 spellings of a name": (runtime) =>
    withService(runtime, off, async ({ port }) => {
      const times: string[] = [];
      for (const headers of [{ "signature-input": `x${" ".repeat(60_000)}x` }, spellings(40_000)]) {
        const body = gzipSync(JSON.stringify([{ useragent: "ChatGPT-User/1.0", ip: "8.8.8.8", headers }]));
        const start = performance.now();
        const { status } = await fetch(`http://127.0.0.1:${port}/RestService/CheckMany`, {
          method: "POST",
          headers: { "content-type": "application/json", "content-encoding": "gzip" },
          body,
        });
        times.push(`${status} after ${(performance.now() - start).toFixed(0)} ms`);
      }
      return times.join(", ");
    }),
  "a visitor's field of 15,000 blanks, through /auth": (runtime) =>
    withService(runtime, [...off, "--trust-proxy", "1"], async ({ port }) => {
      const lines = ["User-Agent: ChatGPT-User/1.0", "X-Forwarded-For: 8.8.8.8", "Connection: close"];
      const blanks = `Signature-Input: x${" ".repeat(15_000)}x`;
      const start = performance.now();
      const answer = await exchange(port, get("/auth?block=spoofed,unproven", ...lines, blanks));
      return `${statusOf(answer)} after ${(performance.now() - start).toFixed(0)} ms`;
    }),
  "offset=999999999": (runtime) =>
    withService(runtime, [], async ({ port }) => {
      const start = performance.now();
      const answer = await exchange(port, get(`${list}?offset=999999999`, "Connection: close"));
      return `${statusOf(answer)} after ${(performance.now() - start).toFixed(0)} ms`;
    }),
};

spawnSync(bun, [`${root}build/prepare.ts`], { stdio: "inherit" });
const stolen = stolenShare();
await fill(filled, Number(options.strings));
console.log("| | Bun | Node |\n|---|---|---|");
for (const [name, row] of Object.entries(rows)) {
  if (!name.includes(options.only)) continue;
  console.log(`| ${name} | ${await row(bun)} | ${await row(node)} |`);
}
rmSync(folder, { recursive: true });
console.log(
  `load ${loadavg()[0]?.toFixed(1)}; ${(100 * stolen()).toFixed(0)} % of the processors' time went to other machines`,
);
