/**
 * `npm run bench:limits`: memory of 5,000 idle connections, of one long list and of one long array, and failed requests while an
 * own catalogue is loaded again, on Bun and on Node. Medians of three rounds, each with a fresh service.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { residentBytes, watchPeak } from "./service/processes.ts";
import { bun, node, root, type Server, startServer } from "./service/servers.ts";

const rounds = 3;
const idleConnections = 5000;
const recordedStrings = 100_000;
/** Fewer than the record's buffer, which is written every 0.8 s, takes. */
const batchStrings = 5000;
/** Nearly as long as an array may be. */
const arrayItems = 3000;
const reloadLimitMs = 60_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const toAgent = (number: number): string =>
  `Limits/${number} (a usual length, with an address: http://bots.example/${number})`;

async function post(port: number, operation: string, type: string, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/RestService/${operation}`, {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${text.slice(0, 200)}`);
  return text;
}

const check = (port: number, useragent: string): Promise<string> =>
  post(port, "Check", "application/json", JSON.stringify({ useragent }));

/** Opens connections that send one request, read the answer and stay open. */
async function idle({ port, pid }: Server): Promise<number> {
  const before = residentBytes(pid);
  const sockets: Socket[] = [];
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      socket.on("error", reject).once("data", () => resolve());
      sockets.push(socket);
    });
  try {
    while (sockets.length < idleConnections) await Promise.all(Array.from({ length: 100 }, open));
    await sleep(1000);
    return residentBytes(pid) - before;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function list({ port, pid }: Server): Promise<number> {
  for (let sent = 0; sent < recordedStrings; sent += batchStrings) {
    const lines = Array.from({ length: batchStrings }, (_, at) => toAgent(sent + at)).join("\n");
    await post(port, "CheckMany", "text/plain", lines);
    await sleep(1000);
  }
  const rise = watchPeak(pid);
  const response = await fetch(`http://127.0.0.1:${port}/RestService/List/json?source=evaluated`);
  const { length } = (await response.text()).match(/Limits\//g) ?? [];
  if (length !== recordedStrings) throw new Error(`the list has ${length} of ${recordedStrings} strings`);
  return rise();
}

async function array({ port, pid }: Server): Promise<number> {
  const items = Array.from({ length: arrayItems }, (_, at) => toAgent(at));
  const rise = watchPeak(pid);
  await post(port, "CheckMany", "application/json", JSON.stringify(items));
  return rise();
}

interface Reload {
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
}

/** Eight clients send Checks until no answer comes from the old catalogue for two seconds, or for `reloadLimitMs`. */
async function reload(runtime: string): Promise<Reload> {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
  const file = join(folder, "own.yaml");
  const write = (name: string): void => {
    writeFileSync(
      `${file}.new`,
      `crawlers: [{ name: ${name}, pattern: "OwnAgent/", category: monitor, examples: [OwnAgent/1] }]\n`,
    );
    renameSync(`${file}.new`, file);
  };
  write("Before");
  const server = await start(runtime, "--catalogue", file);
  let [answered, failed, isOver] = [0, 0, false];
  let oldAt = 0;
  const ask = async (): Promise<void> => {
    while (!isOver) {
      try {
        if ((await check(server.port, "OwnAgent/1")).includes('"Before"')) oldAt = performance.now();
        answered++;
      } catch {
        failed++;
      }
      await sleep(20);
    }
  };
  try {
    const clients = Array.from({ length: 8 }, ask);
    await sleep(2000);
    const started = performance.now();
    write("After");
    await sleep(2500);
    while (performance.now() - oldAt < 2000 && performance.now() - started < reloadLimitMs) await sleep(100);
    isOver = true;
    await Promise.all(clients);
    if (performance.now() - oldAt < 2000) throw new Error("the changed catalogue is not in use");
    return { answered, failed, seconds: (oldAt - started) / 1000 };
  } finally {
    isOver = true;
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function start(runtime: string, ...flags: readonly string[]): Promise<Server> {
  return startServer([runtime, `${root}dist/cli.js`, "serve", "--verify-refresh", "off", ...flags]);
}

/** Runs with a fresh service that has answered some requests. */
async function withService(runtime: string, use: (server: Server) => Promise<number>): Promise<number> {
  const server = await start(runtime);
  try {
    for (let sent = 0; sent < 200; sent++) await check(server.port, toAgent(sent));
    await sleep(500);
    return (await use(server)) / 1e6;
  } finally {
    await server.stop();
  }
}

async function medianOf(measure: () => Promise<number>): Promise<string> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return values.toSorted((a, b) => a - b)[rounds >> 1]!.toFixed(0);
}

const megabytes: Readonly<Record<string, (server: Server) => Promise<number>>> = {
  "a service after 200 Checks": async ({ pid }) => residentBytes(pid),
  [`${idleConnections} idle connections, more`]: idle,
  [`one list of ${recordedStrings} recorded strings, more at its peak`]: list,
  [`one array of ${arrayItems} user agents, more at its peak`]: array,
};
console.log("| MB, median of three fresh services | Bun | Node |\n|---|--:|--:|");
for (const [name, measure] of Object.entries(megabytes)) {
  const cells: string[] = [];
  for (const runtime of [bun, node]) cells.push(await medianOf(() => withService(runtime, measure)));
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
for (const [name, runtime] of Object.entries({ Bun: bun, Node: node })) {
  const reloads: Reload[] = [];
  const seconds = await medianOf(async () => {
    reloads.push(await reload(runtime));
    return reloads.at(-1)!.seconds;
  });
  const sum = (key: "answered" | "failed"): number => reloads.reduce((total, one) => total + one[key], 0);
  console.log(
    `\n${name}, ${rounds} reloads of an own catalogue: ${sum("failed")} of ${sum("answered") + sum("failed")} requests failed; in use after ${seconds} s`,
  );
}
