/** One process's verifier, and the lists it verifies by: kept up to date, in a folder that all processes share. */
import { join } from "node:path";
import type { VerificationFacts } from "../detect/verification.ts";
import { createDefaultVerifier } from "../verify/default-verifier.ts";
import type { Verifier } from "../verify/evidence.ts";
import { createGet, type Get } from "../verify/https-get.ts";
import { createRangeLists } from "../verify/lists/range-lists.ts";
import { createRangeStore } from "../verify/lists/range-store.ts";
import { createRefresher, type ListState } from "../verify/lists/refresher.ts";
import type { SignatureUses } from "../verify/signature/signature-uses.ts";
import type { ListFigures } from "./observe/snapshot.ts";
import type { Configuration } from "./settings/settings.ts";

export interface HostVerification {
  readonly verifier: Verifier;
  /** Warnings about the lists; the service answers in spite of them. */
  warnings(): string[];
  /** The figures of the lists, now. */
  read(): ListFigures;
  /** Reads no more lists. */
  stop(): void;
}

export interface VerificationParts {
  /** Gets lists and keys; from the Internet unless given. */
  readonly get?: Get | undefined;
  /** Stores used signatures for all workers, if there are several. */
  readonly uses?: SignatureUses | undefined;
}

/** Makes the verifier and starts to refresh its lists, unless the configuration forbids it. `report` receives errors. */
export function openVerification(
  facts: VerificationFacts,
  { verifyRefresh, dataFolder, authority }: Configuration,
  report: (text: string) => void,
  { get = createGet(), uses }: VerificationParts = {},
): HostVerification {
  const lists = createRangeLists(facts.ranges);
  const store = createRangeStore(join(dataFolder, "ranges"));
  const refresher = createRefresher({
    proofs: facts.proofs,
    lists,
    get,
    store,
    now: Date.now,
    random: Math.random,
    report,
  });
  if (verifyRefresh) refresher.start();
  return {
    verifier: createDefaultVerifier(facts, { authority, lists, get, ...(uses && { uses }) }),
    warnings: () => toWarnings(refresher.states()),
    read: () => ({
      ...refresher.counts,
      lists: refresher
        .states()
        .flatMap(({ id, asOf, prefixes }) => (asOf === undefined ? [] : [{ id, asOf, prefixes }])),
    }),
    stop: refresher.stop,
  };
}

const mostNamed = 3;

/** Says which lists could not be refreshed, and why; of many, the first. */
export function toWarnings(states: readonly ListState[]): string[] {
  const failed = states.filter(({ problem }) => problem !== undefined);
  const named = failed.slice(0, mostNamed).map(({ id, asOf, problem }) => {
    const age = asOf === undefined ? "none yet" : `as of ${new Date(asOf).toISOString().slice(0, 10)}`;
    return `the addresses of ${id} (${age}) could not be refreshed: ${problem}`;
  });
  const more = failed.length - named.length;
  return more > 0 ? [...named, `neither could those of ${more} more operators`] : named;
}
