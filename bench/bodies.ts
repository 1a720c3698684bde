/**
 * `npm run bench:bodies`: what bodies of CheckMany cost a fresh service on each runtime: memory above idle, and how long
 * others wait meanwhile. `--only` takes a word of the rows that are wanted.
 */
import { spawnSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { exchange, get, statusOf } from "./hostile/clients.ts";
import { residentBytes } from "./service/processes.ts";
import { bun, node, root, startServer } from "./service/servers.ts";

const { values: options } = parseArgs({ options: { only: { type: "string", default: "" } } });
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

const toHead = (length: number, ...lines: readonly string[]) =>
  get("/RestService/CheckMany", "Content-Type: application/json", `Content-Length: ${length}`, ...lines).replace(
    "GET",
    "POST",
  );
const packed = ["Content-Encoding: gzip", "Connection: close"];

/** Sends a body in one write; resolves to the status, once the connection is closed. */
function send(port: number, head: string, body: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(head);
      socket.write(body);
    });
    socket.on("data", (piece: Buffer) => received.push(piece));
    socket.on("error", () => {});
    socket.on("close", () => resolve(statusOf(Buffer.concat(received).subarray(0, 20).toString("latin1"))));
  });
}

interface Watch {
  mostBytes: number;
  longestMs: number;
  isOver: boolean;
  ended: Promise<unknown>;
}

/** Reads the memory every 2 ms, and asks for /healthz over and over, each time over a connection of its own. */
function watch(port: number, pid: number): Watch {
  const watched: Watch = { mostBytes: 0, longestMs: 0, isOver: false, ended: Promise.resolve() };
  const readMemory = async () => {
    for (; !watched.isOver; await sleep(2)) watched.mostBytes = Math.max(watched.mostBytes, residentBytes(pid));
  };
  const askHealth = async () => {
    for (; !watched.isOver; await sleep(5)) {
      const start = performance.now();
      await exchange(port, get("/healthz", "Connection: close"), 60_000);
      watched.longestMs = Math.max(watched.longestMs, performance.now() - start);
    }
  };
  watched.ended = Promise.all([readMemory(), askHealth()]);
  return watched;
}

type Use = (port: number, pid: number, idle: number) => Promise<string>;

/** Runs with a fresh service that has answered a few requests. */
async function withService(runtime: string, flags: readonly string[], use: Use): Promise<string> {
  const server = await startServer([runtime, `${root}dist/cli.js`, "serve", "--record", "off", ...flags]);
  try {
    const body = Buffer.from(JSON.stringify(Array(100).fill("Googlebot/2.1")));
    for (let asked = 0; asked < 20; asked++) await send(server.port, toHead(body.length, "Connection: close"), body);
    await sleep(500);
    return await use(server.port, server.pid, residentBytes(server.pid));
  } finally {
    await server.stop();
  }
}

/** One body, compressed. */
function oneBody(json: string): (runtime: string) => Promise<string> {
  const body = gzipSync(json);
  return (runtime) =>
    withService(runtime, [], async (port, pid, idle) => {
      const watched = watch(port, pid);
      const status = await send(port, toHead(body.length, ...packed), body);
      watched.isOver = true;
      await watched.ended;
      return `${status}, ${mb(watched.mostBytes - idle)}, ${watched.longestMs.toFixed(0)} ms`;
    });
}

/** Sixty bodies that announce more than they send. */
function unfinished(json: string): (runtime: string) => Promise<string> {
  const body = gzipSync(json).subarray(0, -9);
  return (runtime) =>
    withService(runtime, [], async (port, pid, idle) => {
      const watched = watch(port, pid);
      const statuses: string[] = [];
      const sockets = Array.from({ length: 60 }, (): Socket => {
        const socket = connect(port, "127.0.0.1");
        socket.write(toHead(body.length + 9, ...packed));
        socket.write(body);
        socket.on("error", () => {}).on("data", (piece) => statuses.push(statusOf(piece.toString("latin1"))));
        return socket;
      });
      await sleep(5000);
      watched.isOver = true;
      for (const socket of sockets) socket.destroy();
      await watched.ended;
      return `${mb(watched.mostBytes - idle)}, ${watched.longestMs.toFixed(0)} ms, ${toCounts(statuses)}`;
    });
}

/** Bodies that come a byte at a time: what they are answered, and when. */
function trickling(head: string, bytes: Uint8Array): (runtime: string) => Promise<string> {
  return (runtime) =>
    withService(runtime, ["--request-timeout", "2s"], async (port) => {
      const start = performance.now();
      const socket = connect(port, "127.0.0.1", () => socket.write(head));
      let sent = 0;
      const timer = setInterval(() => socket.write(bytes.subarray(sent, ++sent)), 100);
      let status = "open";
      socket
        .on("error", () => {})
        .on("data", (piece) => {
          status = statusOf(piece.toString("latin1"));
        });
      await Promise.race([sleep(10_000), new Promise((resolve) => socket.once("close", resolve))]);
      clearInterval(timer);
      socket.destroy();
      return `${status} after ${((performance.now() - start) / 1000).toFixed(1)} s`;
    });
}

function toCounts(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} × ${word}`).join(", ") || "none answered";
}

const mebibyte = 1024 * 1024;
const fill = (length: number, item: string) =>
  `[${Array(Math.min(10_000, Math.floor(length / (item.length + 1)))).fill(item)}]`;
const agent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/";
const nested = `{"useragent":"x","a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
const flat = `{"useragent":"x","a":[${Array(20_000).fill("[]")}]}`;

const rows: Readonly<Record<string, (runtime: string) => Promise<string>>> = {
  "one body: 15,900,000 × [": oneBody("[".repeat(15_900_000)),
  'one body: 4 MiB of {"a":': oneBody(`[${'{"a":'.repeat((4 * mebibyte) / 5)}`),
  "one body: 10,000 user agents": oneBody(JSON.stringify(Array.from({ length: 10_000 }, (_, at) => agent + at))),
  "one body: 10,000 objects with headers": oneBody(
    fill(4 * mebibyte - 420, JSON.stringify({ useragent: agent, ip: "192.0.2.1", headers: { a: "x".repeat(250) } })),
  ),
  "one body: 10,000 objects with 50 headers": oneBody(
    fill(
      4 * mebibyte - 4200,
      JSON.stringify({
        useragent: agent,
        headers: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at, ""])),
      }),
    ),
  ),
  "one body: one string of 4 MiB": oneBody(`["${"x".repeat(4 * mebibyte - 4)}"]`),
  "one body: strings of 64 KiB": oneBody(fill(4 * mebibyte - 65_536, `"${"x".repeat(65_000)}"`)),
  "one body: strings of 64 KiB, escaped": oneBody(fill(4 * mebibyte - 65_536, `"${"\\u00e9".repeat(10_900)}"`)),
  "one body: items nested 30,000 deep": oneBody(fill(4 * mebibyte - 65_536, nested)),
  "one body: items of 20,000 arrays": oneBody(fill(4 * mebibyte - 65_536, flat)),
  "one body: 4 MiB of [],": oneBody(`[${"[],".repeat(1_398_000)}`),
  "60 unfinished arrays": unfinished(fill(15 * mebibyte, `"${"x".repeat(2000)}"`)),
  "60 unfinished arrays below 4 MiB": unfinished(fill(4 * mebibyte - 5000, `"${"x".repeat(2000)}"`)),
  "a trickling array": trickling(toHead(1000), Buffer.from(`["${"x".repeat(990)}"]`)),
  "a trickling array in gzip": trickling(
    toHead(1000, "Content-Encoding: gzip"),
    gzipSync(Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7919) % 256))),
  ),
  "a trickling line": trickling(toHead(1000).replace("application/json", "text/plain"), Buffer.alloc(1000, "x")),
};

spawnSync(bun, [`${root}build/prepare.ts`], { stdio: "inherit" });
console.log("| | Bun | Node |\n|---|---|---|");
for (const [name, row] of Object.entries(rows)) {
  if (!name.includes(options.only)) continue;
  console.log(`| ${name} | ${await row(bun)} | ${await row(node)} |`);
}
