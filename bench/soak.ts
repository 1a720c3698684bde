/**
 * `npm run bench:soak [-- --minutes 10 --runtime node]`: ordinary and hostile clients on a service with a PostgreSQL record, while the
 * database is stopped and started. Prints what was sent, answered, failed and recorded, the times of /healthz and the memory; exits
 * with 1 after a wrong answer. autocannon sends what is a valid request of HTTP, sockets the rest.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon, { type Request } from "autocannon";
import { runSql, startPostgres } from "../test/support/postgres.ts";
import { residentBytes } from "./service/processes.ts";
import { bun, node, root, startServer } from "./service/servers.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, runtime: { type: "string", default: "bun" } },
});
const runtime = { bun, node }[values.runtime];
if (runtime === undefined) throw new Error("--runtime is bun or node");
const seconds = Number(values.minutes) * 60;
const postgres = await startPostgres();
if (!postgres?.stop || !postgres.start) throw new Error("bench:soak needs PostgreSQL's programs");
const database = await postgres.createDatabase();
const server = await startServer([runtime, `${root}src/cli/main.ts`, "serve", "--record", database]);
const shared = { url: `http://127.0.0.1:${server.port}`, duration: seconds, timeout: 30 };
const failures: string[] = [];
const isOver = (): boolean => performance.now() > began + seconds * 1000;
const began = performance.now();

const toCheck = (body: string): Request => ({
  method: "POST",
  path: "/RestService/Check",
  headers: { "content-type": "application/json" },
  body,
});
/** Each client sends strings that all send, and one that is new. */
const checks = [
  ...Array.from({ length: 4 }, (_, at) => toCheck(JSON.stringify({ useragent: `Usual-bot/${at}` }))),
  toCheck('{"useragent":"Soak/[<id>] (new)"}'),
];
const lines = Array.from({ length: 10_000 }, (_, line) => `Mozilla/5.0 (X11; rv:${line % 500}.0) Firefox/1`).join("\n");
/**
 * What hostile clients send, and the statuses that are right. Lists may be refused: other clients hold all places, or the database is
 * stopped.
 */
const harms: readonly (readonly [Request, ...statuses: number[]])[] = [
  [{ path: "/RestService/List/json?source=evaluated&q=zzzz" }, 200, 503],
  [{ path: "/RestService/List?offset=999999999" }, 200, 503],
  [
    { method: "POST", path: "/RestService/CheckMany", headers: { "content-type": "text/plain" }, body: lines },
    200,
    503,
  ],
  [toCheck(`{"useragent":"Mozilla/5.0 [<id>] ${"x".repeat(1900)}"}`), 200],
  [toCheck('{"useragent":'), 400],
  [toCheck("[".repeat(20)), 400],
  [toCheck(`{"useragent":"${"x".repeat(100_000)}"}`), 413],
  ...["/x/../metrics", "/%2e/metrics", "/./metrics", "/x\\%2e%2e\\metrics"].map((path) => [{ path }, 404] as const),
];

/** A connection of its own that asks for something; the service may close it. */
function open(request: string): Socket {
  const socket = connect(server.port, "127.0.0.1", () => socket.write(request));
  return socket.on("error", () => {});
}

/** Asks for lists and reads nothing for ten seconds. */
async function holdLists(): Promise<void> {
  const request = "GET /RestService/List/json HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n";
  const sockets = Array.from({ length: 100 }, () => open(request).pause());
  await pause(10_000);
  for (const socket of sockets) socket.destroy();
}

/** Sends a body without end; the service must close the connection. What the kernel buffers counts as sent. */
async function pour(): Promise<void> {
  const socket = open("GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n").resume();
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  for (let turn = 0; turn < 400 && !socket.closed; turn++, await pause(10))
    if (socket.writableLength < 1_000_000) socket.write(chunk);
  const megabytes = (socket.bytesWritten - socket.writableLength) / 1e6;
  if (!socket.closed || megabytes > 16) failures.push(`${megabytes.toFixed(1)} MB of a body were taken`);
  socket.destroy();
}

/** Sends a head of a byte a second. */
async function crawl(): Promise<void> {
  const socket = open("POST /RestService/Check HTTP/1.1\r\nContent-Length: 1000\r\nX-Slow: ");
  const timer = setInterval(() => socket.write("x"), 1000);
  socket.once("close", () => clearInterval(timer));
  await pause(300);
}

async function repeat(act: () => Promise<void>): Promise<void> {
  while (!isOver()) await act();
}

async function stopDatabase(): Promise<void> {
  for (let turn = 0; ; turn++) {
    await pause(Math.min(100, seconds / 4) * 1000);
    if (isOver()) return;
    console.error(`${Math.round((performance.now() - began) / 1000)} s: the database is stopped`);
    await postgres?.stop?.(turn % 2 === 0 ? "crash" : "orderly");
    await pause(Math.min(15, seconds / 10) * 1000);
    await postgres?.start?.();
  }
}

const megabytes: number[] = [];
const [ordinary, health, hostile] = await Promise.all([
  // In threads of their own: what hostile clients do here delays neither.
  autocannon({ ...shared, workers: 1, connections: 16, idReplacement: true, requests: checks }),
  autocannon({ ...shared, workers: 1, connections: 1, overallRate: 20, requests: [{ path: "/healthz" }] }),
  Promise.all(
    harms.map(([request]) =>
      autocannon({ ...shared, connections: 1, overallRate: 5, idReplacement: true, requests: [request] }),
    ),
  ),
  ...[holdLists, pour, crawl].map(repeat),
  repeat(async () => {
    megabytes.push(residentBytes(server.pid) / 1e6);
    await pause(seconds * 10);
  }),
  stopDatabase(),
]);
const metrics = await (await fetch(`${shared.url}/metrics`)).text();
await server.stop();
const [row] = await runSql(database, "SELECT sum(count) AS evaluations FROM whocrawls_strings");
await postgres.close();

for (const [name, { errors, non2xx }] of Object.entries({ ordinary, health }))
  if (errors + non2xx > 0) failures.push(`${name}: ${errors} without an answer, ${non2xx} with a wrong status`);
for (const [at, [{ path }, ...right]] of harms.entries()) {
  const wrong = Object.keys(hostile[at]!.statusCodeStats ?? {}).filter((status) => !right.includes(Number(status)));
  if (wrong.length > 0) failures.push(`${path}: ${wrong}, not ${right.join(" or ")}`);
}
const quarter = megabytes.length / 4;
const quarters = [0, 1, 2, 3].map((at) =>
  megabytes
    .slice(at * quarter, (at + 1) * quarter)
    .toSorted((a, b) => a - b)
    [quarter >> 1]?.toFixed(0),
);
const { p50, p99, p99_9, max } = health.latency;
console.log(`| ${values.runtime}, PostgreSQL, ${values.minutes} minutes | |
|---|--:|
| Checks answered | ${ordinary["2xx"]} |
| not answered, or with a wrong status | ${ordinary.errors + ordinary.non2xx} |
| hostile requests answered | ${hostile.reduce((sum, { requests }) => sum + requests.total, 0)} |
| /healthz answered | ${health["2xx"]} |
| /healthz: p50, p99, p99.9, longest, ms | ${[p50, p99, p99_9, max].join(", ")} |
| recorded evaluations at the end | ${row?.evaluations} |
| evaluations dropped, as counted | ${/^whocrawls_record_dropped_total (\d+)/m.exec(metrics)?.[1]} |
| memory, MB: median of each quarter of the time | ${quarters.join(", ")} |
| highest | ${Math.max(...megabytes).toFixed(0)} |`);
for (const failure of failures.slice(0, 40)) console.log(failure);
process.exit(failures.length > 0 ? 1 : 0);
