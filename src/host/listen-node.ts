// Listens with node:http; srvx turns its requests and answers into the web's own.
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, Server } from "node:net";
import type { ServerRequest } from "srvx";
import { FastResponse, toNodeHandler } from "srvx/node";
import type { Platform } from "../service/options.ts";
import type { Socket, SocketOptions } from "./listen.ts";
import { createDirectListener } from "./listen-node-direct.ts";

/** Ways around Node's own Request and Response, which take most of the time of a small answer. */
export const platform: Platform = { Response: FastResponse as unknown as typeof Response, readBody };

/** Reads a whole body from Node's own request; `arrayBuffer()` would make a web Request and a stream first. */
function readBody(request: Request): Promise<Uint8Array | ArrayBuffer> {
  const incoming = (request as ServerRequest).runtime?.node?.req as IncomingMessage | undefined;
  if (incoming === undefined || incoming.readableDidRead || incoming.destroyed) return request.arrayBuffer();
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    incoming.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)));
    incoming.once("error", reject);
  });
}

/** Opens one socket under Node; rejects with Node's error, which carries the system's `code`. */
export async function open({
  fetch,
  host,
  port,
  sharesPort,
  direct,
  isDraining,
  ...limits
}: SocketOptions): Promise<Socket> {
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
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.maxHeadBytes,
      headersTimeout: limits.requestTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, limits.requestTimeoutMs),
    },
    direct === undefined
      ? (handler as RequestListener)
      : createDirectListener(direct, handler as RequestListener, isDraining),
  );
  server.listen({ port, host, reusePort: sharesPort });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        // A connection that was accepted a moment ago looks idle, although its request is on the way: http's own close()
        // would cut it, so this one only stops to listen, and idle connections go a little later.
        const sweep = setInterval(() => server.closeIdleConnections(), 50);
        Server.prototype.close.call(server, () => {
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
