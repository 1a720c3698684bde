/** Listens for HTTP on the runtime at hand, and stops in order. The service handles the requests. */
import { within } from "../../http/within.ts";
import type { Limits, OpenSocket, Socket, SocketOptions } from "./socket.ts";

/** `localhost` means both loopback addresses, and port 0 any free port. */
export type ListenOptions = Partial<Limits> & Omit<SocketOptions, keyof Limits>;

/** A running listener: one socket, or two for `localhost`. */
export interface Listener {
  readonly url: string;
  readonly port: number;
  /**
   * Finishes open requests, closes idle connections, and cuts the remaining ones after `timeoutMs`, or when `forced` resolves. Resolves to
   * whether none was cut.
   */
  close(timeoutMs?: number, forced?: Promise<unknown>): Promise<boolean>;
}

/** The connection's 75 s are longer than the 60 s of most proxies, so that it is the proxy that ends it. */
const defaultLimits: Limits = { maxHeadBytes: 16_384, requestTimeoutMs: 30_000, keepAliveMs: 75_000 };

const defaultCloseTimeoutMs = 4_000;

/**
 * Starts to listen. Rejects with the runtime's error, whose `code` is `EADDRINUSE` if another program listens there,
 * `EACCES` where the port needs privileges, `EADDRNOTAVAIL` or `ENOTFOUND` where the host is not this machine's.
 */
export async function listen({ service, host, port, onError, ...limits }: ListenOptions): Promise<Listener> {
  const open = await loadRuntime();
  const options = { ...defaultLimits, ...limits, service, ...(onError && { onError }) };
  // A client may try only the first address that "localhost" resolves to, and which one that is varies between systems.
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
      // Machines and containers without IPv6 have no ::1, and a port chosen by the system may be in use there.
    }
  }
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    port: actual,
    async close(timeoutMs = defaultCloseTimeoutMs, forced = new Promise(() => {})) {
      const closed = Promise.all(sockets.map((socket) => socket.close())).then(() => true);
      const ended = Promise.race([closed, forced.then(() => false)]);
      const isFinished = await within(ended, timeoutMs, () => false);
      if (!isFinished) for (const socket of sockets) socket.destroy();
      return isFinished;
    },
  };
}

async function loadRuntime(): Promise<OpenSocket> {
  return (await ("Bun" in globalThis ? import("./listen-bun.ts") : import("./listen-node.ts"))).openSocket;
}
