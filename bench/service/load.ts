/**
 * Sends Checks, requests to `/auth`, or all strings at once to CheckMany, over keep-alive connections, one request at a time on each, from a process of its own. Told by one JSON
 * object as argument, it prints one as its result. Without a rate it sends as fast as it is answered; with one, at even
 * times, and latency counts from when a request was due, so that a stall is not hidden by the requests it held up.
 */
import { readFileSync } from "node:fs";

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly ms: number;
  /** What is answered in a second, all connections together. */
  readonly rate?: number;
  /** A file with one user agent a line. */
  readonly strings: string;
  /** Further lines of each head. */
  readonly head: string;
  /** Requests to this path, such as `/auth`, instead of Checks. */
  readonly auth?: string | undefined;
  /** Whether each request sends all strings to CheckMany, as lines of text that verdicts answer. */
  readonly many?: boolean | undefined;
}

export interface LoadResult {
  /** Requests, or lines of CheckMany. */
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

const load = JSON.parse(process.argv[2] as string) as Load;
const encoder = new TextEncoder();
const strings = readFileSync(load.strings, "utf8").trimEnd();
const requests = load.many ? [toRequest(strings)] : strings.split("\n").map(toRequest);
const answersEach = load.many ? strings.split("\n").length : 1;
const latencies: number[] = [];
let sent = 0;
let answered = 0;
let failed = 0;

function toRequest(useragent: string): Uint8Array {
  const own = `Host: localhost\r\n${load.head}`;
  if (load.auth !== undefined) {
    const uri = "X-Forwarded-Uri: /articles/2026/05/a-page-of-the-site/index.html?page=2\r\n";
    return encoder.encode(`GET ${load.auth} HTTP/1.1\r\n${own}${uri}User-Agent: ${useragent}\r\n\r\n`);
  }
  const body = load.many ? useragent : JSON.stringify({ useragent });
  const type = load.many ? "text/plain\r\nAccept: application/x-ndjson" : "application/json";
  const content = `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return encoder.encode(`POST /RestService/Check${load.many ? "Many" : ""} HTTP/1.1\r\n${own}${content}\r\n${body}`);
}

interface Connection {
  dueAt: number;
  text: string;
  /** What the socket has not taken yet. */
  unsent: Uint8Array;
}
type Sock = Bun.Socket<Connection>;
const idle: Sock[] = [];
const due: number[] = [];
let isOver = false;

function send(socket: Sock, dueAt: number): void {
  socket.data.dueAt = dueAt;
  socket.data.text = "";
  socket.data.unsent = requests[sent++ % requests.length] as Uint8Array;
  sendOn(socket);
}

function sendOn(socket: Sock): void {
  if (socket.data.unsent.length > 0) socket.data.unsent = socket.data.unsent.subarray(socket.write(socket.data.unsent));
}

function receive(socket: Sock, chunk: Buffer): void {
  const text = socket.data.text + chunk.toString("latin1");
  socket.data.text = text;
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return;
  const isEmpty = text.startsWith("HTTP/1.1 204");
  const [, length] = isEmpty ? ["", "0"] : (/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end)) ?? []);
  if (length === undefined ? !text.endsWith("\r\n0\r\n\r\n") : text.length < end + 4 + Number(length)) return;
  if (isEmpty || text.startsWith("HTTP/1.1 200")) answered += answersEach;
  else failed++;
  const now = performance.now();
  if (latencies.length < 3_000_000) latencies.push(now - socket.data.dueAt);
  if (isOver) return;
  if (load.rate === undefined) send(socket, now);
  else if (due.length > 0) send(socket, due.shift() as number);
  else idle.push(socket);
}

const started = performance.now();
for (let number = 0; number < load.connections; number++) {
  const socket = await Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port: load.port,
    data: { dueAt: 0, text: "", unsent: new Uint8Array(0) },
    socket: { data: receive, drain: sendOn, close: () => void (isOver || failed++), error: () => void failed++ },
  });
  if (load.rate === undefined) send(socket, performance.now());
  else idle.push(socket);
}

let scheduled = 0;
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    const elapsed = performance.now() - started;
    if (elapsed >= load.ms) {
      clearInterval(timer);
      resolve();
      return;
    }
    if (load.rate === undefined) return;
    for (; scheduled < ((elapsed / 1000) * load.rate) / answersEach; scheduled++) {
      const dueAt = started + ((scheduled * answersEach) / load.rate) * 1000;
      const socket = idle.pop();
      if (socket === undefined) due.push(dueAt);
      else send(socket, dueAt);
    }
  }, 1);
});
isOver = true;
const seconds = (performance.now() - started) / 1000;
latencies.sort((a, b) => a - b);
const at = (part: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0;
const result: LoadResult = { answered, failed, seconds, p50: at(0.5), p99: at(0.99), p999: at(0.999) };
console.log(JSON.stringify(result));
process.exit();
