/**
 * Remembers signatures that were used, and by which client, for as long as they are valid: if another client sends the same
 * signature, it was captured. Bounded; signatures that do not fit are refused, because forgetting others would let captured signatures
 * count.
 */

/** One use of a signature that has been verified; names are digests, so that each has the same size. */
export interface SignatureUse {
  /** What counts once: the nonce of a key, or what a signature without nonce signs. */
  readonly name: string;
  /** The client and what it has signed; undefined if its address is not known, so that each use may be another client's. */
  readonly by?: string | undefined;
  /** The last moment at which the signature is valid, in milliseconds. */
  readonly untilMs: number;
}

/** Whether a use counts: the first one, and more by the same client. */
export type UseResult = "counts" | "replay" | "full";

export interface SignatureUses {
  /** Notes a use and says whether it counts. */
  note(use: SignatureUse): UseResult;
}

/** About 200 bytes each. */
const defaultLimit = 50_000;
/** The minimum time between sweeps: expired signatures are removed when there is no more room, which takes milliseconds. */
const sweepMs = 1000;

/** Makes a memory of at most `limit` signatures. `now` tells the time in milliseconds. */
export function createSignatureUses(now: () => number, limit = defaultLimit): SignatureUses {
  const uses = new Map<string, { readonly by: string | undefined; readonly untilMs: number }>();
  let sweptAt = -sweepMs;

  function sweep(): void {
    if (now() - sweptAt < sweepMs) return;
    sweptAt = now();
    for (const [name, { untilMs }] of uses) if (untilMs < sweptAt) uses.delete(name);
  }

  return {
    note({ name, by, untilMs }) {
      const first = uses.get(name);
      if (first !== undefined && first.untilMs >= now())
        return by !== undefined && first.by === by ? "counts" : "replay";
      if (uses.size >= limit) sweep();
      if (uses.size >= limit) return "full";
      uses.set(name, { by, untilMs });
      return "counts";
    },
  };
}
