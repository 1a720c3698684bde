/**
 * Counts the bytes that unfinished bodies hold in memory, for the whole process. A body that does not fit gets a 503, and one
 * client may hold half.
 */
import { toClient } from "../../address/address.ts";
import type { AskerOf } from "../check/asker.ts";
import type { IncomingRequest } from "../http/context.ts";
import { Problem } from "../http/problems.ts";
import { untilEnd } from "../http/streams.ts";
import type { ListSlot } from "../list/list-slots.ts";

/** The memory of one body, until it is released. */
interface HeldBody extends ListSlot {
  /** Sets how many bytes it holds now; never fewer than at the beginning. Throws a Problem if there is no room for them. */
  count(bytes: number): void;
}

/** Begins to count a body, which holds `leastBytes` until its end. Throws a Problem if there is no room for them. */
export type HoldBody = (request: IncomingRequest, leastBytes: number) => HeldBody;

export interface HeldBodiesOptions {
  readonly askerOf: AskerOf;
  /** How long a client may leave its answer unread. */
  readonly stallMs: number;
  readonly mostBytes?: number;
}

/** Makes the count of a process. */
export function createHeldBodies({ askerOf, stallMs, mostBytes = 32 * 1024 * 1024 }: HeldBodiesOptions): HoldBody {
  let total = 0;
  const byClient = new Map<string, number>();

  return (request, leastBytes) => {
    const client = toClient(askerOf(request).client);
    let held = 0;
    let isReleased = false;

    function change(to: number): void {
      const more = to - held;
      const ofClient = (byClient.get(client) ?? 0) + more;
      if (more > 0 && (total + more > mostBytes || ofClient > mostBytes / 2))
        throw new Problem("too-many-bodies", busy, refused);
      total += more;
      held = to;
      if (ofClient === 0) byClient.delete(client);
      else byClient.set(client, ofClient);
    }

    function release(): void {
      if (!isReleased) change(0);
      isReleased = true;
    }

    change(leastBytes);
    return {
      count(bytes) {
        if (!isReleased) change(Math.max(leastBytes, bytes));
      },
      release,
      hold: (pieces) => untilEnd(pieces, stallMs, release),
    };
  };
}

const busy = "Other bodies take the memory for bodies; retry in one second.";
/** The rest of the body is not read. */
const refused = { "retry-after": "1", connection: "close" };

/** How long a body may become: what its head declares, but at most `most`. */
export function longestBody({ declaredBytes }: IncomingRequest, most: number): number {
  return Math.min(declaredBytes ?? most, most);
}
