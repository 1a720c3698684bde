/**
 * Ends the answers to lines if the client sends on without reading them: the client would wait for the service, and the service for
 * the client. The rest of the body is discarded, so that the client comes to read the reason.
 */
import { readInTime } from "../../http/bodies.ts";
import type { IncomingRequest } from "../../http/context.ts";
import { bodyTurnIfDue } from "../../http/event-loop-turns.ts";

/** How long answers may stay unread, in milliseconds, and what then ends them: a last piece, or an error. */
export interface UnreadLimit {
  readonly unreadMs: number;
  readonly end: () => Uint8Array;
}

/** Passes on the answers that `toAnswers` makes of a body, until the client takes none for `unreadMs` before the body is read. */
export function endUnread(
  request: IncomingRequest,
  pieces: AsyncIterable<Uint8Array>,
  toAnswers: (pieces: AsyncIterable<Uint8Array>) => AsyncIterableIterator<Uint8Array>,
  { unreadMs, end }: UnreadLimit,
): AsyncIterableIterator<Uint8Array> {
  const body = pieces[Symbol.asyncIterator]();
  let isRead = false;
  let discarded: Promise<void> | undefined;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Without `return`: answers that end early leave the body open.
  const answers = toAnswers({
    [Symbol.asyncIterator]: () => ({
      async next() {
        const piece = await body.next();
        isRead = piece.done === true;
        return piece;
      },
    }),
  });

  function close(): void {
    clearTimeout(timer);
    isOver = true;
    // Not awaited: a piece that is waited for may never come.
    body.return?.().catch(() => {});
  }
  /** Resolves when the body has ended, or its time is over. */
  async function discard(): Promise<void> {
    try {
      await answers.return?.();
      for await (const _ of readInTime(request, { [Symbol.asyncIterator]: () => body }, () => 0)) await bodyTurnIfDue();
    } catch {
      // The client is too slow, or has left.
    }
  }

  return {
    async next() {
      clearTimeout(timer);
      if (isOver) return { done: true, value: undefined };
      if (discarded !== undefined) {
        // A connection that is closed with unread bytes loses what the client has not read.
        await discarded;
        isOver = true;
        return { done: false, value: end() };
      }
      try {
        const piece = await answers.next();
        if (!piece.done && !isRead)
          timer = setTimeout(() => {
            discarded = discard();
          }, unreadMs);
        return piece;
      } catch (error) {
        close();
        throw error;
      }
    },
    async return() {
      close();
      await answers.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
