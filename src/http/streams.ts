/**
 * Streamed bodies: converts to and from web streams, and to gzip. No piece is made before the client has taken the previous
 * one. Making ends when the client disconnects.
 */
import type { Body } from "./context.ts";

/** What happens instead if the pieces of a stream fail: nothing more, while the promise is pending. */
export type OnFailure = (error: unknown) => Promise<never>;

/** Makes the web's own stream of pieces of bytes. If the pieces fail, so does the stream, unless `onFailure` is given. */
export function toReadable(
  pieces: AsyncIterable<Uint8Array>,
  onFailure?: OnFailure,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next().catch(onFailure);
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Compresses a body while it is sent. */
export function toGzip(body: Body): AsyncIterableIterator<Uint8Array> {
  const plain =
    typeof body === "string" || body instanceof Uint8Array
      ? (new Response(body).body as ReadableStream)
      : toReadable(body);
  return readPieces(plain.pipeThrough(new CompressionStream("gzip")));
}

/** Reads a web stream piece by piece; cancels it if the iteration stops early. */
export function readPieces(stream: ReadableStream<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
    async return() {
      // Deferred, because Node's compression streams throw an uncatchable error if they are canceled at the moment they
      // deliver a piece; not awaited, because a source may be slow to stop.
      setTimeout(() => void reader.cancel().catch(() => {}), 0);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The failure of a stream whose client does not read. */
export class StallError extends Error {
  override readonly name = "StallError";
}

/**
 * Passes pieces on, after those that were `taken` already, and calls `onEnd` when they end for any reason. They end if the client reads no
 * piece for `stallMs`.
 */
export function untilEnd(
  pieces: AsyncIterator<Uint8Array>,
  taken: IteratorResult<Uint8Array>[],
  stallMs: number | undefined,
  onEnd: () => void,
): AsyncIterableIterator<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = () => {
    clearTimeout(timer);
    isOver = true;
    onEnd();
  };
  const watchStall = () => {
    if (stallMs === undefined) return;
    timer = setTimeout(() => {
      end();
      pieces.return?.().catch(() => {});
    }, stallMs);
    // The timer of an unread list must not keep the process alive.
    (timer as { unref?: () => void }).unref?.();
  };
  watchStall();
  return {
    async next() {
      clearTimeout(timer);
      if (isOver) throw new StallError("the client did not read for too long");
      try {
        const piece = taken.shift() ?? (await pieces.next());
        if (piece.done) end();
        else if (!isOver) watchStall();
        return piece;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      end();
      await pieces.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
