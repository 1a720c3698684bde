// Listens with node:http; srvx turns its requests and answers into the web's own.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerRequest } from "srvx";
import { FastResponse, toNodeHandler } from "srvx/node";
import type { Platform } from "../service/options.ts";
import { type FetchHandler, keepAliveMs, type Socket } from "./listen.ts";

/** What srvx does faster than Node's own Request and Response, which take half of the time of a small answer. */
export const platform: Platform = { Response: FastResponse as unknown as typeof Response };

/** Opens one socket under Node; rejects with Node's error, which carries the system's `code`. */
export async function open(fetch: FetchHandler, host: string, port: number): Promise<Socket> {
  const handler = toNodeHandler(async (request: ServerRequest) => {
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
  const server = createServer({ keepAliveTimeout: keepAliveMs }, handler as RequestListener);
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
