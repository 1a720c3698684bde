/**
 * How many lists may be made at once, so that memory is bounded: each holds a page of its list.
 */
import { untilEnd } from "../http/streams.ts";

/** The place of one list among those that are made at once. */
export interface ListSlot {
  /** Gives the place back; doing so twice does no harm. */
  release(): void;
  /** Keeps the place until a stream ends. One whose client takes nothing for too long is ended. */
  hold(pieces: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array>;
}

/** Makes the function that takes one of `most` slots; it returns undefined if none is free. */
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
    return { release, hold: (pieces) => untilEnd(pieces, stallMs, release) };
  };
}
