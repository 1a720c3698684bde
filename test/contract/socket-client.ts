/**
 * A client that sends bytes as they are given: it adds no header and forgives nothing.
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { until } from "../support/until.ts";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The head of a request: its first line, and others. */
export const toHead = (first: string, ...lines: readonly string[]): string =>
  [`${first} HTTP/1.1`, "Host: localhost", ...lines, "", ""].join("\r\n");

/** A piece of a chunked body, and its end. */
export function chunk(data: string | Uint8Array): Buffer {
  const bytes = Buffer.from(data as string);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}
export const lastChunk = "0\r\n\r\n";

/** A connection, and what came over it until now, as latin1. */
export interface Connection {
  readonly socket: Socket;
  answer: string;
  /** The status of the first answer; empty before it comes. */
  status(): string;
  /** Resolves when an answer has begun. */
  answered(): Promise<unknown>;
  /** Resolves when it is closed, with all that came. */
  closed(): Promise<string>;
}

/** Opens a connection and writes the beginning of a request. */
export async function begin(port: number, head: string | Uint8Array = ""): Promise<Connection> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  // Not `once`, which takes the error for its own that comes before a connection breaks off.
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const connection: Connection = {
    socket,
    answer: "",
    status: () => /^HTTP\/1\.1 (\d+)/.exec(connection.answer)?.[1] ?? "",
    answered: () => until(() => connection.status() !== "", "no answer"),
    closed: () => closed.then(() => connection.answer),
  };
  socket
    .on("error", () => {})
    .on("data", (piece: Buffer) => {
      connection.answer += piece.toString("latin1");
    });
  if (head !== "") socket.write(head);
  return connection;
}

/** Writes the chunks one after another and reads until the server closes. */
export async function exchangeBytes(port: number, chunks: Iterable<string | Uint8Array>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const finish = () => {
      socket.destroy();
      resolve(Buffer.concat(received));
    };
    const socket = connect(port, "127.0.0.1", async () => {
      for (const chunk of chunks) {
        if (socket.destroyed || !socket.writable) return;
        // Waiting lets the server answer, and hang up, in the middle.
        await new Promise<void>((written) => socket.write(chunk, () => written()));
      }
    });
    socket.on("data", (data: Buffer) => received.push(data));
    socket.on("end", finish);
    socket.on("close", finish);
    // A server that hangs up on a body it does not want resets the connection; what it said before still counts.
    socket.on("error", (error) => (received.length > 0 ? finish() : reject(error)));
  });
}

/** Sends one request over a connection of its own. */
export async function sendRequest(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | undefined,
): Promise<RawAnswer> {
  const all: Record<string, string> = { host: `127.0.0.1:${port}`, connection: "close", ...headers };
  if (body !== undefined) all["content-length"] ??= String(body.byteLength);
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
  return parseAnswer(await exchangeBytes(port, [body === undefined ? head : Buffer.concat([head, body])]), method);
}

/** Parses one HTTP/1.1 answer; throws where it is not one. */
export function parseAnswer(bytes: Buffer, method = "GET"): RawAnswer {
  const split = bytes.indexOf("\r\n\r\n");
  if (split === -1) throw new Error(`no answer in ${JSON.stringify(bytes.toString("latin1"))}`);
  const [statusLine, ...lines] = bytes.subarray(0, split).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine as string)?.[1]);
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
  );
  let body: Buffer = bytes.subarray(split + 4);
  if (headers.get("transfer-encoding") === "chunked" && method !== "HEAD") body = joinChunks(body);
  const length = headers.get("content-length");
  if (length !== null && method !== "HEAD" && status !== 304 && Number(length) !== body.byteLength) {
    throw new Error(`content-length is ${length}, the body has ${body.byteLength} bytes`);
  }
  return { status, headers, body: new Uint8Array(body) };
}

function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.subarray(at, lineEnd).toString("latin1"), 16);
    if (lineEnd === -1 || Number.isNaN(size)) throw new Error("the chunked body is cut");
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
