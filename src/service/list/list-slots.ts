/**
 * How many lists may be made at once, so that memory is bounded: each holds a page of its list.
 */
import { Problem } from "../http/problems.ts";
import { untilEnd } from "../http/streams.ts";

/** The place of one list among those that are made at once. */
export interface ListSlot {
  /** Gives the place back; doing so twice does no harm. */
  release(): void;
  /** Keeps the place until a stream ends. One whose client takes nothing for too long is ended. */
  hold(pieces: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array>;
}

/** Takes a slot; throws a Problem if none is free. */
export function needSlot(takeSlot: () => ListSlot | undefined): ListSlot {
  const slot = takeSlot();
  if (slot === undefined) throw new Problem("too-many-lists", busy, { "retry-after": "1" });
  return slot;
}

const busy = "The maximum number of lists is being sent; retry in one second.";

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
