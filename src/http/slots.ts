/**
 * Limits the memory of a process: how many lists may be sent at once, and how many bytes unfinished bodies may hold. A body
 * that does not fit gets a 503, and one client may hold half.
 */
import { toClient } from "../address/address.ts";
import type { IncomingRequest } from "./context.ts";
import type { ClientOf } from "./guards.ts";
import { Problem } from "./problems.ts";
import { untilEnd } from "./streams.ts";

/** One of the slots for bodies that a process may hold. */
export interface Slot {
  /** Releases the slot; releasing it twice is harmless. */
  release(): void;
  /**
   * Holds the slot until a stream ends, which starts with the pieces already taken from it. Ends the stream if its client reads nothing for
   * too long.
   */
  hold(pieces: AsyncIterator<Uint8Array>, taken?: IteratorResult<Uint8Array>[]): AsyncIterableIterator<Uint8Array>;
}

/** Takes a slot; throws a Problem if all slots are taken. */
export function takeSlotOrThrow(takeSlot: () => Slot | undefined): Slot {
  const slot = takeSlot();
  if (slot === undefined) throw new Problem("too-many-lists", tooManyLists, { "retry-after": "1" });
  return slot;
}

const tooManyLists = "The maximum number of lists is being sent; retry in one second.";

/** Makes the function that takes one of `most` slots; it returns undefined if none is free. */
export function createSlots(most: number, stallMs: number): () => Slot | undefined {
  let taken = 0;
  return () => {
    if (taken >= most) return undefined;
    taken++;
    let isFree = false;
    const release = () => {
      if (!isFree) taken--;
      isFree = true;
    };
    return { release, hold: (pieces, taken = []) => untilEnd(pieces, taken, stallMs, release) };
  };
}

/** The memory of one body, until it is released. */
interface ReservedBody extends Slot {
  /** Sets how many bytes it holds now; never fewer than at the beginning. Throws a Problem if there is no room for them. */
  count(bytes: number): void;
}

/** Begins to count a body, which holds `minBytes` until its end. Throws a Problem if there is no room for them. */
export type ReserveBody = (request: IncomingRequest, minBytes: number) => ReservedBody;

export interface BodyBudgetOptions {
  readonly clientOf: ClientOf;
  /** How long a client may leave its answer unread. */
  readonly stallMs: number;
  readonly maxBytes?: number;
}

/** Makes the count of a process. */
export function createBodyBudget({ clientOf, stallMs, maxBytes = 32 * 1024 * 1024 }: BodyBudgetOptions): ReserveBody {
  let total = 0;
  const byClient = new Map<string, number>();

  return (request, minBytes) => {
    const client = toClient(clientOf(request).client);
    let held = 0;
    let isReleased = false;

    function change(to: number): void {
      const more = to - held;
      const ofClient = (byClient.get(client) ?? 0) + more;
      if (more > 0 && (total + more > maxBytes || ofClient > maxBytes / 2))
        throw new Problem("too-many-bodies", tooManyBodies, refused);
      total += more;
      held = to;
      if (ofClient === 0) byClient.delete(client);
      else byClient.set(client, ofClient);
    }

    function release(): void {
      if (!isReleased) change(0);
      isReleased = true;
    }

    change(minBytes);
    return {
      count(bytes) {
        if (!isReleased) change(Math.max(minBytes, bytes));
      },
      release,
      hold: (pieces, taken = []) => untilEnd(pieces, taken, stallMs, release),
    };
  };
}

const tooManyBodies = "Other bodies use up the memory for bodies; retry in one second.";
/** The rest of the body is not read. */
const refused = { "retry-after": "1", connection: "close" };

/** How long a body may become: what its head declares, but at most `most`. */
export function readableBytes({ declaredBytes }: IncomingRequest, most: number): number {
  return Math.min(declaredBytes ?? most, most);
}
