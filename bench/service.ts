/**
 * `npm run bench:service`: requests per CPU second of the serving process, its memory, and latency at a fixed rate, of this service
 * (Checks, `/auth` and lines of CheckMany), of bare servers that do the least, and of Fastify with isbot; in turn, several rounds in one run. Each
 * server is warmed before it is measured.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import UserAgent from "user-agents";
import { detector } from "../src/detect/built-in/detector.ts";
import type { Load, LoadResult } from "./service/load.ts";
import {
  bun,
  rates,
  root,
  type Server,
  type Subject,
  type SubjectName,
  startServer,
  subjects,
  token,
} from "./service/servers.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    only: { type: "string", default: "" },
  },
});
const ms = Number(options.seconds) * 1000;
const connections = 16;
const warmMs = 4000;

interface Round {
  readonly perCpuSecond: number;
  readonly perSecond: number;
  readonly megabytes: number;
}
interface Measured {
  readonly rounds: Round[];
  readonly latencies: LoadResult[];
}

function run(load: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(bun, [`${root}bench/service/load.ts`, JSON.stringify(load)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.once("close", (code) => (code === 0 ? resolve(JSON.parse(text) as LoadResult) : reject(new Error(text))));
  });
}

/** Half of them crawlers of the catalogue, half browsers, in an order that is the same for all. */
function writeStrings(): string {
  const crawlers = detector
    .strings()
    .filter((_, index) => index % 2 === 0)
    .slice(0, 1000);
  const generate = new UserAgent();
  const people = Array.from({ length: crawlers.length }, () => String(generate.random()));
  const path = join(mkdtempSync(join(tmpdir(), "whocrawls-bench-")), "strings.txt");
  writeFileSync(path, crawlers.flatMap((crawler, index) => [crawler, people[index] as string]).join("\n"));
  return path;
}

async function measure(server: Server, load: Omit<Load, "port">): Promise<LoadResult & Round> {
  const cpu = server.cpuSeconds();
  const result = await run({ ...load, port: server.port });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  const perSecond = result.answered / result.seconds;
  const perCpuSecond = result.answered / (server.cpuSeconds() - cpu);
  return { ...result, perSecond, perCpuSecond, megabytes: server.residentBytes() / 1e6 };
}

const strings = writeStrings();
const names = (Object.keys(subjects) as SubjectName[]).filter((name) => name.includes(options.only));
const measured = new Map<SubjectName, Measured>(names.map((name) => [name, { rounds: [], latencies: [] }]));
for (let round = 0; round < Number(options.rounds); round++) {
  for (const name of names) {
    const { command, auth, many }: Subject = subjects[name];
    const load = { connections, ms, strings, auth, many, head: `Authorization: Bearer ${token}\r\n` };
    const server = await startServer(command);
    await run({ ...load, port: server.port, ms: warmMs });
    const { rounds, latencies } = measured.get(name) as Measured;
    const full = await measure(server, load);
    rounds.push(full);
    latencies.push(await measure(server, { ...load, rate: rates[command[0] as string] as number }));
    console.error(`${round + 1} ${name}: ${Math.round(full.perCpuSecond)} per CPU second`);
    await server.stop();
  }
}
console.log(
  "| | per CPU second | per second | MB | at the fixed rate: p50 ms | p99 ms | p99.9 ms |\n|---|--:|--:|--:|--:|--:|--:|",
);
for (const [name, { rounds, latencies }] of measured) {
  const columns = [
    ...(["perCpuSecond", "perSecond", "megabytes"] as const).map((key) =>
      Math.round(median(rounds.map((round) => round[key]))),
    ),
    ...(["p50", "p99", "p999"] as const).map((key) => median(latencies.map((each) => each[key])).toFixed(2)),
  ];
  console.log(`| ${name} | ${columns.join(" | ")} |`);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
