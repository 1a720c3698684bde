// Listens with Bun's own server: a thin layer, because srvx's decoration of every request costs about 6 % of the
// CPU time of a small answer there (docs/decisions/0004-srvx.md).
import http from "node:http";
import type { Client, Platform } from "../service/options.ts";
import type { Socket, SocketOptions } from "./listen.ts";

/** Bun's own Request and Response are the fastest that it has; only its patience with slow bodies has no end. */
export const platform: Platform = { readBody };

interface Reading {
  isDone: boolean;
  /** In how many sweeps it was still being read. */
  sweeps: number;
  readonly giveUp: (error: Error) => void;
}

/** Bodies that are being read, and some that have been: those leave when there are many. */
let readings: Reading[] = [];
let most = 512;
let sweeper: ReturnType<typeof setInterval> | undefined;

/** Reads a whole body; gives up on one that has not come within the request timeout. */
function readBody(request: Request): Promise<ArrayBuffer> {
  return new Promise((resolve, giveUp) => {
    const reading: Reading = { isDone: false, sweeps: 0, giveUp };
    if (readings.length >= most) removeDone();
    readings.push(reading);
    request.arrayBuffer().then((body) => {
      reading.isDone = true;
      resolve(body);
    }, giveUp);
  });
}

function removeDone(): void {
  readings = readings.filter(({ isDone }) => !isDone);
  most = Math.max(512, 2 * readings.length);
}

/** Looks at all bodies at once, which costs each of them less than a timer of its own. */
function sweep(): void {
  removeDone();
  for (const reading of readings) {
    if (++reading.sweeps < 2) continue;
    reading.isDone = true;
    reading.giveUp(new Error("the body did not come in time"));
  }
}

/** The peer of a connection, looked up only when somebody asks. */
class BunClient implements Client {
  readonly #server: Bun.Server<undefined>;
  readonly #request: Request;

  constructor(server: Bun.Server<undefined>, request: Request) {
    this.#server = server;
    this.#request = request;
  }

  get address(): string | undefined {
    return this.#server.requestIP(this.#request)?.address;
  }
}

/** Opens one socket under Bun; throws Bun's error, which carries the system's `code`. */
export function open({ fetch, host, port, sharesPort, ...limits }: SocketOptions): Socket {
  // Bun reads this where its types have a constant.
  Object.assign(http, { maxHeaderSize: limits.maxHeadBytes });
  clearInterval(sweeper);
  sweeper = setInterval(sweep, limits.requestTimeoutMs / 2).unref();
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort: sharesPort,
    idleTimeout: Math.ceil(limits.keepAliveMs / 1000),
    // The service refuses longer bodies itself, with a problem; what it does not read must not be gathered either.
    maxRequestBodySize: Math.max(limits.maxBodyBytes, 1024 * 1024),
    // A development server would answer errors with a page that shows the source.
    development: false,
    fetch: (request, server) => fetch(request, new BunClient(server, request)),
    error: () => new Response(null, { status: 500 }),
  });
  return {
    port: server.port as number,
    close: () => server.stop(),
    destroy: () => void server.stop(true),
  };
}
