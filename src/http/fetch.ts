/**
 * The web's own Request and Response: for Bun, workers, and servers that mount the service as a fetch handler.
 */

import { expectAtMost, readWhole } from "./bodies.ts";
import type { Answer } from "./context.ts";
import { BodyError, type HeaderReader, type IncomingRequest, originOf, parseDeclaredBytes } from "./context.ts";
import { type FinishedAnswer, secureHeaders } from "./pipeline.ts";
import { type OnFailure, readPieces, toReadable } from "./streams.ts";

/** The origin of a request, as far as the host knows it. */
export interface Client {
  /** The address of the peer of the connection, undefined once it is gone. */
  readonly address: string | undefined;
}

type Handle = (request: IncomingRequest, send: (answer: FinishedAnswer) => Response) => Response | Promise<Response>;

/** Makes the fetch handler of a pipeline. */
export function createFetch(handle: Handle): (request: Request, client?: Client) => Promise<Response> {
  return async (request, client) =>
    handle(new FetchRequest(request, pathOf(request.url), client), (answer) => toResponse(answer));
}

/** The path of a Request's URL, which is normalized. Bun's has only a path, as it was sent, if there is no valid `Host`. */
export function pathOf(url: string): string {
  const start = url.charCodeAt(0) === 0x2f ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start).split("#", 1)[0]! : url.slice(start, end);
}

/** A web Request as the pipeline reads it. */
export class FetchRequest implements IncomingRequest {
  readonly method: string;
  readonly path: string;
  protected readonly request: Request;
  readonly #client: Client | undefined;
  /** null: not looked at yet. */
  #declaredBytes: number | undefined | null = null;

  constructor(request: Request, path: string, client?: Client) {
    this.method = request.method;
    this.path = path;
    this.request = request;
    this.#client = client;
  }

  get headers(): HeaderReader {
    return this.request.headers;
  }

  get query(): string {
    const { url } = this.request;
    const start = url.indexOf("?");
    return start === -1 ? "" : url.slice(start + 1).split("#", 1)[0]!;
  }

  get origin(): string {
    return originOf(this.request.url);
  }

  get clientAddress(): string | undefined {
    return this.#client?.address;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get isBodyTaken(): boolean {
    return this.request.bodyUsed;
  }

  // Read only once, because Bun creates a new string on each access.
  get declaredBytes(): number | undefined {
    if (this.#declaredBytes === null)
      this.#declaredBytes = parseDeclaredBytes(this.request.headers.get("content-length"));
    return this.#declaredBytes;
  }

  // Not async, and with few promises, because each costs 2% of a whole Check.
  readBody(maxBytes: number): Promise<Uint8Array> {
    // The protocol holds a client to what it declares (RFC 9112 §6.3). Reading a stream takes twice as long as all other work
    // for a small request; it is used only if the length is missing or malformed.
    const declared = this.declaredBytes;
    if (declared !== undefined && declared > maxBytes) return Promise.reject(new BodyError("too-large", maxBytes));
    return new Promise((resolve, reject) => {
      const done = this.watchBody(() => reject(new BodyError("too-slow")));
      // Not by `bytes()`, which older runtimes and the requests of @hono/node-server do not have.
      const body = declared === undefined ? this.#readStream(maxBytes) : this.request.arrayBuffer();
      body.then(
        (bytes) => {
          done();
          if (bytes.byteLength > maxBytes) reject(new BodyError("too-large", maxBytes));
          else resolve(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
        },
        (error) => {
          done();
          reject(error instanceof BodyError ? error : new BodyError("gone"));
        },
      );
    });
  }

  /** Calls `giveUp` if the body does not arrive in time, unless the result is called before. Here, the caller of fetch limits the time. */
  protected watchBody(_giveUp: () => void): () => void {
    return () => {};
  }

  #readStream(maxBytes: number): Promise<Uint8Array> {
    const { body } = this.request;
    return body === null ? Promise.resolve(new Uint8Array()) : readWhole(readPieces(body), expectAtMost(maxBytes));
  }
}

/** For headers that many answers share: the `Headers` made from them, by the names added to each answer. */
const shared = new WeakMap<Answer["headers"], Map<string, Headers>>();

/** Marks headers as shared by many answers, so that a `Headers` is cached: copying it is twice as fast as building one from a record. */
export function shareHeaders(headers: Answer["headers"]): Answer["headers"] {
  shared.set(headers, new Map());
  return headers;
}

function toWebHeaders({ headers, added }: FinishedAnswer): Headers {
  const byNames = shared.get(headers);
  if (byNames === undefined) return new Headers({ ...secureHeaders, ...headers, ...added });
  const names = Object.keys(added);
  const key = names.length === 1 ? names[0]! : names.join();
  const made = byNames.get(key) ?? new Headers({ ...secureHeaders, ...headers });
  byNames.set(key, made);
  // Each answer overwrites the values of the previous one.
  for (const name of names) made.set(name, added[name] as string);
  return made;
}

/** Makes the web's own Response of an answer. */
export function toResponse(answer: FinishedAnswer, onFailure?: OnFailure): Response {
  const { status, body } = answer;
  // Cloudflare's runtime would compress a body again that `Content-Encoding` says is compressed; others ignore the member.
  const init = { status, headers: toWebHeaders(answer), encodeBody: "manual" };
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return new Response(body, init);
  return new Response(toReadable(body, onFailure), init);
}
