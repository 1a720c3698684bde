/**
 * `npm run bench:limits`: memory of 5,000 idle connections, of one long list and of one long array, on Bun and on Node.
 * Medians of three rounds, each with a fresh service.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { median } from "./match/measure.ts";
import { residentBytes, watchPeak } from "./service/processes.ts";
import { bun, node, root, type Server, startServer } from "./service/servers.ts";

const runtimes = { Bun: bun, Node: node };
const rounds = 3;
const idleConnections = 5000;
const recordedStrings = 100_000;
/** Fewer than the record's buffer, which is written every 0.8 s, takes. */
const batchStrings = 5000;
/** As many as an array may have. */
const arrayItems = 10_000;

const toAgents = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `Limits/${from + at} (a usual length: http://bots.example/${from + at})`);

async function checkMany(port: number, type: string, body: string): Promise<void> {
  const address = `http://127.0.0.1:${port}/RestService/CheckMany`;
  const response = await fetch(address, { method: "POST", headers: { "content-type": type }, body });
  if (!response.ok) throw new Error(`CheckMany: ${response.status} ${await response.text()}`);
  await response.text();
}

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
  while (sockets.length < idleConnections) await Promise.all(Array.from({ length: 100 }, open));
  await sleep(1000);
  const rise = residentBytes(pid) - before;
  for (const socket of sockets) socket.destroy();
  return rise;
}

async function list({ port, pid }: Server): Promise<number> {
  for (let sent = 0; sent < recordedStrings; sent += batchStrings) {
    await checkMany(port, "text/plain", toAgents(sent, batchStrings).join("\n"));
    await sleep(1000);
  }
  const rise = watchPeak(pid);
  const response = await fetch(`http://127.0.0.1:${port}/RestService/List/json?source=evaluated`);
  const { length } = (await response.text()).match(/Limits\//g) ?? [];
  if (length !== recordedStrings) throw new Error(`the list has ${length} of ${recordedStrings} strings`);
  return rise();
}

async function array({ port, pid }: Server): Promise<number> {
  const rise = watchPeak(pid);
  await checkMany(port, "application/json", JSON.stringify(toAgents(0, arrayItems)));
  return rise();
}

/** Megabytes, of a fresh service that has answered some requests. */
async function measure(runtime: string, use: (server: Server) => Promise<number>): Promise<number> {
  const server = await startServer([runtime, `${root}dist/cli.js`, "serve", "--verify-refresh", "off"]);
  await autocannon({
    url: `http://127.0.0.1:${server.port}`,
    amount: 200,
    connections: 1,
    requests: [
      {
        method: "POST",
        path: "/RestService/Check",
        headers: { "content-type": "application/json" },
        body: '{"useragent":"curl/8"}',
      },
    ],
  });
  const bytes = await use(server);
  await server.stop();
  return bytes / 1e6;
}

const rows: Readonly<Record<string, (server: Server) => Promise<number>>> = {
  "a service after 200 Checks": async ({ pid }) => residentBytes(pid),
  [`${idleConnections} idle connections, more`]: idle,
  [`one list of ${recordedStrings} recorded strings, more at its peak`]: list,
  [`one array of ${arrayItems} user agents, more at its peak`]: array,
};
console.log("| MB, median of three fresh services | Bun | Node |\n|---|--:|--:|");
for (const [name, use] of Object.entries(rows)) {
  const cells: string[] = [];
  for (const runtime of Object.values(runtimes)) {
    const megabytes: number[] = [];
    for (let round = 0; round < rounds; round++) megabytes.push(await measure(runtime, use));
    cells.push(median(megabytes).toFixed(0));
  }
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
