/**
 * A body as its head declares it: its media type, and whether it is compressed (it is decompressed while it is read); and how long it
 * may leave something unfinished, such as a line.
 */
import { BodyError, type HeaderReader, type IncomingRequest } from "./context.ts";
import { yieldIfSliceUsed } from "./event-loop-turns.ts";
import { Problem } from "./problems.ts";
import { readPieces, toReadable } from "./streams.ts";

const charsetParameter = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]*)"?/gi;

/** The media type in lowercase, one of those in `taken`. Throws a Problem for any other type, or a charset other than UTF-8. */
export function expectType<Type extends string>(
  headers: HeaderReader,
  taken: readonly Type[],
  problem: "type-not-taken" | "not-declared-json" = "type-not-taken",
): Type {
  const contentType = headers.get("content-type") ?? "";
  // Most clients send no parameters.
  const plain = taken.find((known) => known === contentType);
  if (plain !== undefined) return plain;
  // Repeated headers arrive joined by commas, and servers disagree about which one counts.
  if (contentType.includes(",")) throw new Problem("bad-header", "Send Content-Type only once.");
  const [name = ""] = contentType.split(";", 1);
  const type = taken.find((known) => known === name.trim().toLowerCase());
  if (type !== undefined && isUtf8(contentType)) return type;
  const types = taken.join(", ");
  throw new Problem(problem, `Send the body with Content-Type: ${types}, in UTF-8.`, { "accept-post": types });
}

function isUtf8(contentType: string): boolean {
  return [...contentType.matchAll(charsetParameter)].every(([, charset]) => /^utf-?8$/i.test(charset as string));
}

/**
 * The body piece by piece, decompressed if it is declared to be gzip, and read only on demand. Throws a Problem for
 * another coding, or a BodyError.
 */
export function decodedBody(request: IncomingRequest): { body: AsyncIterable<Uint8Array>; isCoded: boolean } {
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding === "identity") return { body: request.bodyStream(), isCoded: false };
  if (coding === "gzip" || coding === "x-gzip") return { body: gunzip(request.bodyStream()), isCoded: true };
  throw new Problem("type-not-taken", "Send the body uncompressed or compressed with gzip.", {
    "accept-encoding": "gzip, identity",
  });
}

async function* gunzip(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Setting up decompression takes a millisecond, and many may start at once.
  await yieldIfSliceUsed();
  let failure: unknown;
  const watched = watchDeadline(pieces, (error) => {
    failure = error;
  });
  const plain = toReadable(watched).pipeThrough(new DecompressionStream("gzip"));
  try {
    yield* readPieces(plain);
  } catch {
    throw failure instanceof BodyError ? failure : new BodyError("damaged");
  }
}

/** Remembers why a stream failed, because the streams it is piped into fail with other errors. */
async function* watchDeadline(
  pieces: AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    onError(error);
    throw error;
  }
}

/**
 * Passes on the pieces of a body. `unfinished` returns the number of the item that has begun to arrive and is incomplete, or
 * undefined; it waits for the next piece only as long as a request may take. Throws a BodyError. Work between the pieces
 * is not counted, unless it leaves the same thing unfinished.
 */
export async function* readInTime(
  request: IncomingRequest,
  pieces: AsyncIterable<Uint8Array>,
  unfinished: () => number | undefined,
): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const { signal } = request;
  let watched: number | undefined;
  let stopWatch = () => {};
  let isTooSlow = false;
  let fail: (error: BodyError) => void = () => {};
  const leave = () => fail(new BodyError("gone"));
  function giveUp(): void {
    isTooSlow = true;
    fail(new BodyError("too-slow"));
  }
  function watchDeadline(): void {
    const now = unfinished();
    if (now === watched) return;
    watched = now;
    stopWatch();
    isTooSlow = false;
    stopWatch = now === undefined ? () => {} : request.watchBody(giveUp);
  }

  signal.addEventListener("abort", leave);
  try {
    for (;;) {
      watchDeadline();
      // Not Promise.race, which would leak memory for each piece until the body ends.
      const piece = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        fail = reject;
        if (signal.aborted) leave();
        else if (isTooSlow) giveUp();
        else iterator.next().then(resolve, reject);
      });
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    stopWatch();
    signal.removeEventListener("abort", leave);
    // Not awaited: the piece that is waited for may never come.
    iterator.return?.().catch(() => {});
  }
}

/** Collects a body. `onBytes` receives the number of bytes so far and throws if there are too many, so no more is read than necessary. */
export async function readWhole(
  pieces: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.byteLength;
    onBytes(length);
    parts.push(piece);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.byteLength;
  }
  return body;
}
