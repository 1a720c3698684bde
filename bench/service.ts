/**
 * `npm run bench:service`: requests per CPU second of the serving process and latency at half load, of this service, of
 * bare servers that do the least, and of what a user would write instead; in turn, several rounds in one run.
 * `--memory` instead: resident memory while ten million Checks of a million distinct strings are answered.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import UserAgent from "user-agents";
import { detector } from "../src/detect/built-in/detector.ts";
import type { Load, LoadResult } from "./service/load.ts";
import { bun, root, type Server, type SubjectName, startServer, subjects, token } from "./service/servers.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    only: { type: "string", default: "" },
    memory: { type: "boolean", default: false },
    checks: { type: "string", default: "10000000" },
  },
});
const ms = Number(options.seconds) * 1000;
const connections = 16;

interface Round {
  readonly perCpuSecond: number;
  readonly perSecond: number;
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

async function measure(server: Server, strings: string, rate?: number): Promise<LoadResult & Round> {
  const cpu = server.cpuSeconds();
  const result = await run({
    port: server.port,
    connections,
    ms,
    strings,
    head: `Authorization: Bearer ${token}\r\n`,
    ...(rate !== undefined && { rate }),
  });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  const perSecond = result.answered / result.seconds;
  return { ...result, perSecond, perCpuSecond: result.answered / (server.cpuSeconds() - cpu) };
}

async function compare(): Promise<void> {
  const strings = writeStrings();
  const names = (Object.keys(subjects) as SubjectName[]).filter((name) => name.includes(options.only));
  const measured = new Map<SubjectName, Measured>(names.map((name) => [name, { rounds: [], latencies: [] }]));
  /** By runtime: half of what the slowest of it answers, the same for all, so that latencies can be compared. */
  const halfLoad = new Map<string, number>();
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const name of names) {
      const { command } = subjects[name];
      const server = await startServer(command);
      await run({ port: server.port, connections, ms: 2000, strings });
      const { rounds, latencies } = measured.get(name) as Measured;
      const full = await measure(server, strings);
      rounds.push(full);
      const rate = Math.min(full.perSecond / 2, halfLoad.get(command[0]) ?? Number.POSITIVE_INFINITY);
      if (round === 0) halfLoad.set(command[0], rate);
      else latencies.push(await measure(server, strings, rate));
      console.error(`${round + 1} ${name}: ${Math.round(full.perCpuSecond)} per CPU second`);
      await server.stop();
    }
  }
  console.log(
    "| | per CPU second | per second | at half load: p50 ms | p99 ms | p99.9 ms |\n|---|--:|--:|--:|--:|--:|",
  );
  for (const [name, { rounds, latencies }] of measured) {
    const columns = [
      Math.round(median(rounds.map((round) => round.perCpuSecond))),
      Math.round(median(rounds.map((round) => round.perSecond))),
      ...(["p50", "p99", "p999"] as const).map((key) => median(latencies.map((each) => each[key])).toFixed(2)),
    ];
    console.log(`| ${name} | ${columns.join(" | ")} |`);
  }
  const cpu = (name: SubjectName) => median(measured.get(name)?.rounds.map((round) => round.perCpuSecond) ?? []);
  const p99 = (name: SubjectName) => median(measured.get(name)?.latencies.map((each) => each.p99) ?? []);
  /** What `more` costs beside `name`, in us of CPU time a request. */
  const cost = (more: SubjectName, name: SubjectName) => 1e6 / cpu(more) - 1e6 / cpu(name);
  const bare = "whocrawls on Bun, record off";
  console.log("\n| goal | at least | measured |\n|---|--:|--:|");
  for (const [goal, least, value] of [
    ["Bun, defaults: of bare Bun.serve", ">= 0.75", cpu("whocrawls on Bun, defaults") / cpu("bare Bun.serve")],
    ["Bun: us for the request log", "<= 2", cost("whocrawls on Bun, request log on", bare)],
    ["Bun: us for the record", "<= 3", cost("whocrawls on Bun, record on", bare)],
    ["Bun: token and limit, of without", ">= 0.87", cpu("whocrawls on Bun, token and limit") / cpu(bare)],
    ["Bun: of Fastify with isbot", ">= 1.5", cpu("whocrawls on Bun, record on") / cpu("Fastify with isbot on Node")],
    ["Bun: record on, of off", ">= 0.95", cpu("whocrawls on Bun, record on") / cpu("whocrawls on Bun, record off")],
    ["Bun: p99 at half load, of bare", "<= 1.5", p99("whocrawls on Bun, record on") / p99("bare Bun.serve")],
    ["Node, defaults: of bare node:http", ">= 0.8", cpu("whocrawls on Node, defaults") / cpu("bare node:http")],
    ["Node: record on, of off", ">= 0.95", cpu("whocrawls on Node, record on") / cpu("whocrawls on Node, record off")],
    ["Node: p99 at half load, of bare", "<= 1.5", p99("whocrawls on Node, record on") / p99("bare node:http")],
  ] as const) {
    console.log(`| ${goal} | ${least} | ${value.toFixed(2)} |`);
  }
}

async function watchMemory(): Promise<void> {
  const server = await startServer(subjects["whocrawls on Bun, record on"].command);
  const checks = Number(options.checks);
  const pieces = 10;
  console.log("| checks | resident MB |\n|--:|--:|");
  console.log(`| 0 | ${(server.residentBytes() / 1e6).toFixed(1)} |`);
  for (let piece = 1; piece <= pieces; piece++) {
    const distinct = 1_000_000;
    await run({ port: server.port, connections, ms: 600_000, most: checks / pieces, distinct });
    console.log(`| ${(checks / pieces) * piece} | ${(server.residentBytes() / 1e6).toFixed(1)} |`);
  }
  await server.stop();
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

await (options.memory ? watchMemory() : compare());
