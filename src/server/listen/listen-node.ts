/** Listens with node:http: converts its requests for the service, and the service's answers for it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, type Socket as Connection, Server } from "node:net";
import {
  BodyError,
  type HeaderReader,
  type IncomingRequest,
  originOf,
  parseDeclaredBytes,
} from "../../http/context.ts";
import { type FinishedAnswer, secureHeaders } from "../../http/pipeline.ts";
import { Deadlines } from "./deadlines.ts";
import { Drain } from "./drain.ts";
import { reportBreak, type Socket, type SocketOptions } from "./socket.ts";

/** A request as Node has it. */
class NodeRequest implements IncomingRequest, HeaderReader {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  isBodyTaken = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #deadlines: Deadlines;
  #signal: AbortSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, deadlines: Deadlines) {
    const target = request.url as string;
    const end = target.indexOf("?");
    const path = end === -1 ? target : target.slice(0, end);
    this.method = request.method as string;
    // A proxy may send the whole address (RFC 9112 §3.2.2).
    this.path = path.startsWith("/") ? path : path.replace(/^https?:\/\/[^/]*/i, "") || "/";
    this.query = end === -1 ? "" : target.slice(end + 1);
    this.#request = request;
    this.#response = response;
    this.#deadlines = deadlines;
  }

  get headers(): HeaderReader {
    return this;
  }

  get(name: string): string | null {
    const value = this.#request.headers[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
  }

  get declaredBytes(): number | undefined {
    return parseDeclaredBytes(this.#request.headers["content-length"]);
  }

  get origin(): string {
    return originOf(`http://${this.get("host") ?? ""}`);
  }

  get clientAddress(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController();
      this.#signal = controller.signal;
      this.#response.once("close", () => {
        if (!this.#response.writableFinished) controller.abort();
      });
    }
    return this.#signal;
  }

  readBody(maxBytes: number): Promise<Uint8Array> {
    const request = this.#request;
    this.isBodyTaken = true;
    return new Promise((resolve, reject) => {
      const refuse = (reason: BodyError["reason"]) => {
        done();
        request.pause();
        reject(new BodyError(reason, maxBytes));
      };
      const done = this.#deadlines.begin(() => refuse("too-slow"));
      if ((this.declaredBytes ?? 0) > maxBytes) return refuse("too-large");
      const chunks: Buffer[] = [];
      let length = 0;
      request.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxBytes) refuse("too-large");
        else chunks.push(chunk);
      });
      request.on("end", () => {
        done();
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      });
      request.on("error", () => refuse("gone"));
    });
  }
}

function send(response: ServerResponse, answer: FinishedAnswer, options: SocketOptions): void {
  const { status, headers, added, body } = answer;
  const all: Record<string, string | number> = { ...secureHeaders, ...headers, ...added };
  if (typeof body === "string") all["content-length"] = Buffer.byteLength(body);
  else if (body instanceof Uint8Array) all["content-length"] = body.byteLength;
  else if (body === null && status !== 204 && status !== 304 && all["transfer-encoding"] === undefined) {
    all["content-length"] ??= 0;
  }
  response.writeHead(status, all);
  if (body === null) response.end();
  else if (typeof body === "string" || body instanceof Uint8Array) response.end(body);
  else void sendStream(response, body[Symbol.asyncIterator](), (error) => reportBreak(options, answer, error));
}

/** Sends pieces as the client reads them; stops producing them if the client disconnects. */
async function sendStream(
  response: ServerResponse,
  pieces: AsyncIterator<Uint8Array>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const end = () => void pieces.return?.().catch(() => {});
  // The client may have left before there was anything to send; then no event tells it.
  if (response.destroyed) return end();
  response.once("close", end);
  try {
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
      if (response.destroyed) return;
      if (!response.write(piece.value)) await drained(response);
    }
    response.end();
  } catch (error) {
    onFailure(error);
    // The part that was sent stays sent, and the client must see that the answer is incomplete. Not at once, because Node holds
    // data written in this turn.
    setImmediate(() => response.socket?.destroySoon());
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

/** Opens one socket under Node; rejects with Node's error, which carries the system's `code`. */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const { service, host, port, ...limits } = options;
  const { requestTimeoutMs } = limits;
  const deadlines = new Deadlines(requestTimeoutMs);
  const drain = new Drain();
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.maxHeadBytes,
      headersTimeout: requestTimeoutMs,
      // Of a whole request, which may be a long stream; bodies have their own deadline.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1000, requestTimeoutMs),
      // Joined as in the web's Headers; the service refuses duplicates of headers that must be unique.
      joinDuplicateHeaders: true,
    },
    (request, response) => {
      const { socket } = request;
      // A client that waits for its response is not idle. Bodies have their own deadline.
      socket.setTimeout(0);
      void service.handle(new NodeRequest(request, response, deadlines), (answer) => {
        socket.setTimeout(server.timeout);
        send(response, drain.mark(answer), options);
        // A refused body is not read to its end.
        if (!request.complete) response.once("finish", () => endUnread(request, deadlines));
      });
    },
  );
  // A client that neither sends nor reads for this long is disconnected.
  server.timeout = Math.max(limits.keepAliveMs, requestTimeoutMs);
  const connections = new Set<Connection>();
  server.on("connection", (connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  server.listen({ port, host });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      // Before that, because the system resets connections that it has established and that have not been accepted.
      await drain.begin();
      // Not http's own close(), which closes idle connections at once.
      const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        // Node regards a connection as idle only after its first request.
        for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
      }, 50);
      await closed;
      clearInterval(sweep);
    },
    destroy() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A short unread body is discarded, so that the connection can be used again; but only for a short time. */
function endUnread(request: IncomingMessage, deadlines: Deadlines): void {
  if (request.complete) return;
  const done = deadlines.begin(() => request.socket.destroy());
  request.once("end", done);
}
