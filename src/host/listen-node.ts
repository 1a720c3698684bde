// Listens with node:http; srvx turns its requests and answers into the web's own.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "srvx/node";
import { type FetchHandler, keepAliveMs, type Socket } from "./listen.ts";

/** Opens one socket under Node; rejects with Node's error, which carries the system's `code`. */
export async function listenWithNode(fetch: FetchHandler, host: string, port: number): Promise<Socket> {
  const handler = toNodeHandler(async (request) => {
    const client = {
      get address() {
        return request.ip;
      },
    };
    try {
      return await fetch(request, client);
    } catch {
      // The service answers its own errors; one that gets past it must not end the process.
      return new Response(null, { status: 500 });
    }
  });
  const server = createServer({ keepAliveTimeout: keepAliveMs }, handler as Parameters<typeof createServer>[1]);
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        // close() ends the connections that are idle now; those that become idle later would wait for keepAliveMs.
        const sweep = setInterval(() => server.closeIdleConnections(), 50);
        server.close(() => {
          clearInterval(sweep);
          resolve();
        });
      }),
    destroy: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
