/**
 * Limits what a process holds at once: lists that it sends, bodies, and bytes of bodies. One client may hold half, so that others get
 * their turn.
 */
import { toClient } from "../address/address.ts";
import type { IncomingRequest } from "./context.ts";
import type { ClientOf } from "./guards.ts";
import { Problem, type ProblemName } from "./problems.ts";
import { untilEnd } from "./streams.ts";
import { maxTimerMs } from "./within.ts";

/** A part of what a process may hold. */
export interface Slot {
  /** Releases the slot; releasing it twice is harmless. */
  release(): void;
  /**
   * Holds the slot until a stream ends, which starts with the pieces already taken from it. Ends the stream if its client reads nothing for
   * too long.
   */
  hold(pieces: AsyncIterator<Uint8Array>, taken?: IteratorResult<Uint8Array>[]): AsyncIterableIterator<Uint8Array>;
}

/** Takes a slot of this size for a client; throws a Problem if there is no room for it. */
export type TakeSlot = (request: IncomingRequest, size: number) => Slot;

export interface SlotOptions {
  /** The sum of the sizes of all slots. */
  readonly most: number;
  readonly clientOf: ClientOf;
  /** How long a client may leave its answer unread. */
  readonly stallMs: number;
  /** What clients get if there is no room, and its detail. */
  readonly full: readonly [ProblemName, string];
}

/** Makes the function that takes slots of one kind. */
export function createSlots({ most, clientOf, stallMs, full }: SlotOptions): TakeSlot {
  const mostOfClient = Math.max(1, Math.floor(most / 2));
  const byClient = new Map<string, number>();
  let total = 0;

  return (request, size) => {
    const client = toClient(clientOf(request).client);
    const before = byClient.get(client) ?? 0;
    if (total + size > most || before + size > mostOfClient)
      throw new Problem(full[0], full[1], { "retry-after": "1" });
    total += size;
    byClient.set(client, before + size);

    let isReleased = false;
    function release(): void {
      if (isReleased) return;
      isReleased = true;
      total -= size;
      const left = (byClient.get(client) ?? 0) - size;
      if (left === 0) byClient.delete(client);
      else byClient.set(client, left);
    }
    return { release, hold: (pieces, taken = []) => untilEnd(pieces, taken, Math.min(stallMs, maxTimerMs), release) };
  };
}
