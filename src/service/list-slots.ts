/**
 * How many lists may be made at once, so that memory has a bound whatever clients do: each holds a page of its list.
 */

/** The place of one list among those that are made at once. */
export interface ListSlot {
  /** Gives the place back; doing so twice does no harm. */
  release(): void;
  /** Keeps the place until a stream ends. One whose client takes nothing for too long is ended. */
  hold(pieces: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array>;
}

/** Makes the function that takes a place among `most`, or nothing where there is none. */
export function createListSlots(most: number, stallMs: number): () => ListSlot | undefined {
  let taken = 0;
  return () => {
    if (taken >= most) return undefined;
    taken++;
    let isFree = false;
    const release = () => {
      if (!isFree) taken--;
      isFree = true;
    };
    return { release, hold: (pieces) => holdUntilEnd(pieces, stallMs, release) };
  };
}

function holdUntilEnd(
  pieces: AsyncIterableIterator<Uint8Array>,
  stallMs: number,
  release: () => void,
): AsyncIterableIterator<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = () => {
    clearTimeout(timer);
    isOver = true;
    release();
  };
  const watch = () => {
    timer = setTimeout(() => {
      end();
      pieces.return?.().catch(() => {});
    }, stallMs);
    // Where timers hold a process open: a list that nobody takes is no reason to.
    (timer as { unref?: () => void }).unref?.();
  };
  watch();
  return {
    async next() {
      clearTimeout(timer);
      if (isOver) throw new Error("the client took nothing for too long");
      try {
        const piece = await pieces.next();
        if (piece.done) end();
        else if (!isOver) watch();
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
