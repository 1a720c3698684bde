/** Shares a number of slots fairly among clients, and among the requests of a client: a busy client leaves room for others. */
import { toClient } from "../../address/address.ts";
import type { LookupClient } from "../evidence.ts";

/** Gives a slot back. */
type Release = () => void;

export interface Shares {
  /** Takes a slot; undefined if there is none for this lookupClient. with `isFirst`, it may use the slots reserved for priority work. */
  take(lookupClient: LookupClient | undefined, isFirst: boolean): Release | undefined;
}

/** Makes shares of `most` slots. */
export function createShares(most: number): Shares {
  let taken = 0;
  const held = new Map<string | LookupClient, number>();
  const add = (holder: string | LookupClient, change: 1 | -1): void => {
    const count = (held.get(holder) ?? 0) + change;
    if (count === 0) held.delete(holder);
    else held.set(holder, count);
  };

  return {
    take(lookupClient, isFirst) {
      const free = (isFirst ? most : most / 2) - taken;
      if (free <= 0) return undefined;
      // Read once: the address of a client is gone with its connection.
      const holders = lookupClient === undefined ? [] : [toClient(lookupClient.client), lookupClient];
      // For one client a quarter of the free ones: about a hundred clients are needed to use up all. For one request, a tenth of all.
      const limits = [free / 4, most / 10];
      if (holders.some((holder, at) => (held.get(holder) ?? 0) >= limits[at]!)) return undefined;
      taken++;
      for (const holder of holders) add(holder, 1);
      return () => {
        taken--;
        for (const holder of holders) add(holder, -1);
      };
    },
  };
}
