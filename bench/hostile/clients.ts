/** Clients that mean harm, and what their victim looks like meanwhile. */
import { connect, type Socket } from "node:net";
import { residentBytes } from "../service/processes.ts";

/** Sends bytes and resolves to everything that comes back until the connection closes, or `ms` are over. */
export function exchange(port: number, bytes: string, ms = 3000): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

export const get = (target: string, ...lines: readonly string[]): string =>
  [`GET ${target} HTTP/1.1`, "Host: localhost", ...lines, "", ""].join("\r\n");

/** A Check, the last request of its connection. */
export function toCheck(useragent: string): string {
  const body = JSON.stringify({ useragent });
  const lines = ["Content-Type: application/json", "Connection: close", `Content-Length: ${body.length}`];
  return get("/RestService/Check", ...lines).replace("GET", "POST") + body;
}

export const statusOf = (answer: string): string => /^HTTP\/1\.[01] (\d+)/.exec(answer)?.[1] ?? "closed";

/** Opens connections that ask and read nothing. */
export function stall(port: number, count: number, bytes: string): Promise<Socket[]> {
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.pause();
        socket.write(bytes);
        resolve(socket);
      });
      socket.once("error", reject);
      socket.on("error", () => {});
    });
  return Promise.all(Array.from({ length: count }, open));
}

/** Sends a body without end for `ms`; resolves to the megabytes that were taken, and when the connection was closed. */
export async function pour(port: number, head: string, ms = 4000): Promise<{ megabytes: number; closedMs?: number }> {
  const socket = connect(port, "127.0.0.1");
  const start = performance.now();
  let closedMs: number | undefined;
  socket.on("error", () => {});
  socket.on("close", () => {
    closedMs = performance.now() - start;
  });
  socket.resume().write(head);
  const chunk = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
  while (closedMs === undefined && performance.now() - start < ms) {
    if (socket.writableLength < 1_000_000 && socket.writable) socket.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const megabytes = (socket.bytesWritten - socket.writableLength) / 1e6;
  socket.destroy();
  return closedMs === undefined ? { megabytes } : { megabytes, closedMs };
}

export interface Watched {
  readonly healthP99: number;
  readonly checkP99: number;
  readonly mostBytes: number;
}

/** For `ms`: asks for /healthz and Check in turn, ten times a second each, and reads the victim's memory. */
export async function watch(port: number, pid: number, ms: number): Promise<Watched> {
  const health: number[] = [];
  const checks: number[] = [];
  let mostBytes = 0;
  const timed = async (into: number[], bytes: string) => {
    const start = performance.now();
    const answer = await exchange(port, bytes, 30_000);
    into.push(statusOf(answer) === "200" ? performance.now() - start : Number.POSITIVE_INFINITY);
  };
  const check = toCheck("Googlebot/2.1");
  const asked: Promise<void>[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    asked.push(timed(health, get("/healthz", "Connection: close")), timed(checks, check));
    mostBytes = Math.max(mostBytes, residentBytes(pid));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await Promise.all(asked);
  return { healthP99: percentile(health, 0.99), checkP99: percentile(checks, 0.99), mostBytes };
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
