// Listens for HTTP on the runtime at hand and hands every request to a fetch handler.
// Knows addresses and how to stop; what a request means is the service's affair.
import type { DirectCheck } from "../service/direct-check.ts";
import type { Client, Platform } from "../service/options.ts";

export type FetchHandler = (request: Request, client: Client) => Response | Promise<Response>;

/** What a client may take: longest head, longest time for a whole request, longest silence on a connection. */
export interface Limits {
  readonly maxHeadBytes: number;
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
}

export interface ListenOptions extends Partial<Limits> {
  readonly fetch: FetchHandler;
  /** The quicker way to Check, for runtimes where it is one. */
  readonly direct?: DirectCheck | undefined;
  /** A host name or address; `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Whether other processes listen on the same port; the system then gives each its share of connections. */
  readonly sharesPort?: boolean;
}

export interface SocketOptions extends Limits {
  readonly fetch: FetchHandler;
  readonly direct: DirectCheck | undefined;
  /** Whether clients are asked to come back over another connection. */
  readonly isDraining: () => boolean;
  readonly host: string;
  readonly port: number;
  readonly sharesPort: boolean;
}

/** One listening socket of a runtime. */
export interface Socket {
  readonly port: number;
  /** Stops accepting and resolves when what is in flight has been answered. */
  close(): Promise<void>;
  /** Ends every connection at once. */
  destroy(): void;
}

/** A running listener: one socket, or two for `localhost`. */
export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Goes on answering for `ms`, and asks each client that is answered to come back over another connection. */
  drain(ms: number): Promise<void>;
  /** Finishes what is in flight, closes idle connections, and cuts what has not ended after `timeoutMs`. */
  close(timeoutMs?: number): Promise<void>;
}

/** The connection's 75 s are longer than the 60 s of most proxies, so that it is the proxy that ends it. */
const defaultLimits: Limits = {
  maxHeadBytes: 16_384,
  maxBodyBytes: 65_536,
  requestTimeoutMs: 30_000,
  keepAliveMs: 75_000,
};

const defaultCloseTimeoutMs = 4_000;

/** What this runtime can do faster than the web's own interfaces, for the service. */
export async function loadPlatform(): Promise<Platform> {
  return (await loadRuntime()).platform;
}

/** Loads only what this runtime needs: reading srvx takes Bun as long as reading the rest of the host. */
function loadRuntime() {
  return "Bun" in globalThis ? import("./listen-bun.ts") : import("./listen-node.ts");
}

/**
 * Starts to listen. Rejects with the runtime's error, whose `code` is `EADDRINUSE` where something else listens there,
 * `EACCES` where the port needs privileges, `EADDRNOTAVAIL` or `ENOTFOUND` where the host is not this machine's.
 */
export async function listen({
  fetch,
  host,
  port,
  sharesPort = false,
  direct,
  ...limits
}: ListenOptions): Promise<Listener> {
  const { open } = await loadRuntime();
  // Changed while draining only; a wrapper around every request would cost each of them.
  const handler = { fetch };
  let isDraining = false;
  const options = {
    ...defaultLimits,
    ...limits,
    sharesPort,
    direct,
    isDraining: () => isDraining,
    fetch: (request: Request, client: Client) => handler.fetch(request, client),
  };
  // A client may try only the first address that "localhost" has for it, and which one that is differs between systems.
  const [first, second] = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
  const sockets = [await open({ ...options, host: first as string, port })];
  const actual = (sockets[0] as Socket).port;
  if (second !== undefined) {
    try {
      sockets.push(await open({ ...options, host: second, port: actual }));
    } catch (error) {
      if (port !== 0 && (error as NodeJS.ErrnoException).code === "EADDRINUSE") {
        for (const socket of sockets) socket.destroy();
        throw error;
      }
      // Machines and containers without IPv6 have no ::1, and a port of the system's choosing may be taken there.
    }
  }
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    port: actual,
    async drain(ms) {
      isDraining = true;
      handler.fetch = async (request, client) => withClose(await fetch(request, client));
      await new Promise((resolve) => setTimeout(resolve, ms));
    },
    close: (timeoutMs = defaultCloseTimeoutMs) => closeAll(sockets, timeoutMs),
  };
}

function withClose(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

async function closeAll(sockets: readonly Socket[], timeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
      resolve();
    }, timeoutMs);
  });
  await Promise.race([Promise.all(sockets.map((socket) => socket.close())), timeout]);
  clearTimeout(timer);
}
