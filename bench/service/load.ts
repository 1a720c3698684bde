/**
 * Sends Checks over keep-alive connections, one request at a time on each, from a process of its own. Told by one JSON
 * object as argument, it prints one as its result. Without a rate it sends as fast as it is answered; with one, at even
 * times, and latency counts from when a request was due, so that a stall is not hidden by the requests it held up.
 */
import { readFileSync } from "node:fs";

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly ms: number;
  /** Requests a second, all connections together. */
  readonly rate?: number;
  /** Stops early after so many. */
  readonly most?: number;
  /** A file with one user agent a line; without it, `distinct` made-up strings. */
  readonly strings?: string;
  readonly distinct?: number;
  /** Further lines of each head. */
  readonly head?: string;
}

export interface LoadResult {
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** The highest p99 of any second. */
  readonly worstP99: number;
}

const load = JSON.parse(process.argv[2] as string) as Load;
const encoder = new TextEncoder();
const requests =
  load.strings === undefined ? undefined : readFileSync(load.strings, "utf8").trimEnd().split("\n").map(toRequest);
const latencies: number[] = [];
/** The same by the second in which requests were due. */
const bySecond: number[][] = [];
let sent = 0;
let answered = 0;
let failed = 0;

function toRequest(useragent: string): Uint8Array {
  const body = encoder.encode(JSON.stringify({ useragent }));
  const head = `POST /RestService/Check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${load.head ?? ""}\r\n`;
  return Buffer.concat([encoder.encode(head), body]);
}

function nextRequest(): Uint8Array {
  const number = sent++;
  if (requests !== undefined) return requests[number % requests.length] as Uint8Array;
  // A full cycle through all numbers in an order that looks like chance.
  const distinct = load.distinct ?? 1_000_000;
  return toRequest(`Mozilla/5.0 (X11; Linux x86_64) Load/${((number * 7919) % distinct).toString(36)} Safari/537.36`);
}

interface Connection {
  dueAt: number;
  text: string;
}
type Sock = Bun.Socket<Connection>;
const idle: Sock[] = [];
const due: number[] = [];
let isOver = false;

function send(socket: Sock, dueAt: number): void {
  socket.data.dueAt = dueAt;
  socket.data.text = "";
  socket.write(nextRequest());
}

function receive(socket: Sock, chunk: Buffer): void {
  const text = socket.data.text + chunk.toString("latin1");
  socket.data.text = text;
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text) ?? [];
  if (length === undefined ? !text.endsWith("\r\n0\r\n\r\n") : text.length < end + 4 + Number(length)) return;
  if (text.startsWith("HTTP/1.1 200")) answered++;
  else failed++;
  const now = performance.now();
  const latency = now - socket.data.dueAt;
  if (latencies.length < 3_000_000) {
    latencies.push(latency);
    const second = Math.floor((socket.data.dueAt - started) / 1000);
    bySecond[second] ??= [];
    bySecond[second].push(latency);
  }
  if (isOver || (load.most !== undefined && sent >= load.most)) return;
  if (load.rate === undefined) send(socket, now);
  else if (due.length > 0) send(socket, due.shift() as number);
  else idle.push(socket);
}

const started = performance.now();
for (let number = 0; number < load.connections; number++) {
  const socket = await Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port: load.port,
    data: { dueAt: 0, text: "" },
    socket: { data: receive, close: () => void (isOver || failed++), error: () => void failed++ },
  });
  if (load.rate === undefined) send(socket, performance.now());
  else idle.push(socket);
}

let scheduled = 0;
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    const elapsed = performance.now() - started;
    if (elapsed >= load.ms || (load.most !== undefined && answered + failed >= load.most)) {
      clearInterval(timer);
      resolve();
      return;
    }
    if (load.rate === undefined) return;
    for (; scheduled < (elapsed / 1000) * load.rate; scheduled++) {
      const dueAt = started + (scheduled / load.rate) * 1000;
      const socket = idle.pop();
      if (socket === undefined) due.push(dueAt);
      else send(socket, dueAt);
    }
  }, 1);
});
isOver = true;
const seconds = (performance.now() - started) / 1000;
const at = (part: number, sorted: readonly number[] = latencies) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
const sort = (list: number[]) => list.sort((a, b) => a - b);
sort(latencies);
const worstP99 = Math.max(...bySecond.map((list) => at(0.99, sort(list))));
const result: LoadResult = { answered, failed, seconds, p50: at(0.5), p99: at(0.99), p999: at(0.999), worstP99 };
console.log(JSON.stringify(result));
process.exit();
