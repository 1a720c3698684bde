/** Listens with Bun's own server, which costs half of what its node:http does (docs/decisions/0011-no-adapter.md). */
import http from "node:http";
import { FetchRequest, pathOf, toResponse } from "../../http/fetch.ts";
import type { FinishedAnswer } from "../../http/pipeline.ts";
import { Deadlines } from "./deadlines.ts";
import { Drain } from "./drain.ts";
import { reportBreak, type Socket, type SocketOptions } from "./socket.ts";
import { Turns } from "./turns.ts";

type Server = Bun.Server<undefined>;

/** A request as Bun has it: its peer is looked up on demand, and its body has a deadline. */
class BunRequest extends FetchRequest {
  readonly #server: Server;
  readonly #deadlines: Deadlines;

  constructor(request: Request, path: string, server: Server, deadlines: Deadlines) {
    super(request, path);
    this.#server = server;
    this.#deadlines = deadlines;
  }

  override get clientAddress(): string | undefined {
    return this.#server.requestIP(this.request)?.address;
  }

  protected override watchBody(giveUp: () => void): () => void {
    return this.#deadlines.begin(giveUp);
  }
}

/** Opens one socket under Bun; throws Bun's error, which carries the system's `code`. */
export function openSocket(options: SocketOptions): Socket {
  const { service, host, port, onError, ...limits } = options;
  // Bun reads this property although its types declare a constant.
  Object.assign(http, { maxHeaderSize: limits.maxHeadBytes });
  const turns = new Turns();
  const deadlines = new Deadlines(limits.requestTimeoutMs);
  const drain = new Drain();
  const idleSeconds = Math.ceil(limits.keepAliveMs / 1000);
  const respond = (path: string, request: Request, server: Server) => {
    // Bun would take a client that waits for its response for an idle one. Bodies have their own deadline.
    server.timeout(request, 0);
    const send = (answer: FinishedAnswer) => {
      server.timeout(request, idleSeconds);
      return toResponse(drain.mark(answer), (error) => {
        reportBreak(options, answer, error);
        return endIdle(request, server);
      });
    };
    return turns.run(() => service.handle(new BunRequest(request, path, server, deadlines), send));
  };
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: idleSeconds,
    // The service refuses long bodies itself, and reads them piece by piece.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // A development server would answer errors with a page that shows the source.
    development: false,
    // A Request has only a normalized path; Bun's router decides by the target as it was sent.
    routes: Object.fromEntries(service.paths.map((path) => [path, toRoute(path, service.paths, respond)])),
    fetch: (request, server) => respond(toUnknownPath(request.url, service.paths), request, server),
    error(error) {
      onError?.("a request failed", error);
      return new Response(null, { status: 500 });
    },
  });
  return {
    port: server.port as number,
    close: () => drain.begin().then(() => server.stop()),
    destroy: () => void server.stop(true),
  };
}

/**
 * Lets the connection of a response that breaks off end as an idle one does. If its stream failed, Bun would reset the connection, and the
 * client would lose what it has not read yet.
 */
function endIdle(request: Request, server: Server): Promise<never> {
  // The shortest time; Bun looks for idle connections every four seconds.
  server.timeout(request, 1);
  return new Promise(() => {});
}

type Respond = (path: string, request: Request, server: Server) => Response | Promise<Response>;

/**
 * Below a path that ends in `*`, a normalized path is the sent one only if it is still below it, and has no route
 * of its own.
 */
function toRoute(
  path: string,
  paths: readonly string[],
  respond: Respond,
): (request: Request, server: Server) => Response | Promise<Response> {
  if (!path.endsWith("/*")) return (request, server) => respond(path, request, server);
  return (request, server) => {
    const pathname = pathOf(request.url);
    const isSent = pathname.startsWith(path.slice(0, -1)) && !paths.includes(pathname);
    return respond(isSent ? pathname : "", request, server);
  };
}

/**
 * The path of a request that the router has sent to none of `paths`. It is normalized: if it equals a path of the
 * service, a different path was sent, such as `/x/../metrics`, and it is omitted.
 */
function toUnknownPath(url: string, paths: readonly string[]): string {
  const pathname = pathOf(url);
  const isKnown = paths.some((path) =>
    path.endsWith("/*") ? pathname.startsWith(path.slice(0, -1)) : path === pathname,
  );
  return isKnown ? "" : pathname;
}
