/** Limits how long a body may leave something unfinished, such as a line, and ends it when the client has gone. */
import { BodyError, type IncomingRequest } from "../http/context.ts";

/**
 * Passes the pieces of a body on. `unfinished` returns the number of what has begun to come and is not complete, or
 * undefined; the next piece is waited for only as long as the request may take. Throws a BodyError. Work between the pieces
 * is not counted, unless it leaves the same thing unfinished.
 */
export function readInTime(
  request: IncomingRequest,
  pieces: AsyncIterable<Uint8Array>,
  unfinished: () => number | undefined,
): AsyncIterableIterator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const { signal } = request;
  let watched: number | undefined;
  let stopWatch = () => {};
  let isTooSlow = false;
  let fail: (error: BodyError) => void = () => {};

  function watch(): void {
    const now = unfinished();
    if (now === watched) return;
    watched = now;
    stopWatch();
    isTooSlow = false;
    stopWatch = now === undefined ? () => {} : request.watchBody(giveUp);
  }
  function giveUp(): void {
    isTooSlow = true;
    fail(new BodyError("too-slow"));
  }
  const leave = () => fail(new BodyError("gone"));
  function end(): void {
    stopWatch();
    signal.removeEventListener("abort", leave);
  }

  signal.addEventListener("abort", leave);
  return {
    next() {
      watch();
      // Not Promise.race, which would keep something for each piece as long as the body comes.
      return new Promise((resolve, reject) => {
        fail = (error) => {
          end();
          reject(error);
        };
        if (signal.aborted) return leave();
        if (isTooSlow) return giveUp();
        iterator.next().then((piece) => {
          if (piece.done) end();
          fail = () => {};
          resolve(piece);
        }, fail);
      });
    },
    async return() {
      end();
      // Not awaited: the piece that is waited for may never come.
      iterator.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
