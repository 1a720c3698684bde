// Listens for HTTP on the runtime at hand and hands every request to a fetch handler.
// Knows addresses and how to stop; what a request means is the service's affair.
import type { Client, Platform } from "../service/options.ts";

export type FetchHandler = (request: Request, client: Client) => Response | Promise<Response>;

export interface ListenOptions {
  readonly fetch: FetchHandler;
  /** A host name or address; `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
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
  /** Finishes what is in flight, closes idle connections, and cuts what has not ended after `timeoutMs`. */
  close(timeoutMs?: number): Promise<void>;
}

/** Longer than the 60 s for which proxies keep their connections, so that it is the proxy that ends them. */
export const keepAliveMs = 75_000;

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
export async function listen({ fetch, host, port }: ListenOptions): Promise<Listener> {
  const { open } = await loadRuntime();
  // A client may try only the first address that "localhost" has for it, and which one that is differs between systems.
  const [first, second] = host === "localhost" ? ["127.0.0.1", "::1"] : [host];
  const sockets = [await open(fetch, first as string, port)];
  const actual = (sockets[0] as Socket).port;
  if (second !== undefined) {
    try {
      sockets.push(await open(fetch, second, actual));
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
    close: (timeoutMs = defaultCloseTimeoutMs) => closeAll(sockets, timeoutMs),
  };
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
