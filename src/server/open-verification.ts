/** One process's verifier, and the lists it verifies by: kept up to date, in a folder that all processes share. */
import type { Proof, VerificationFacts } from "../detect/verification.ts";
import { createDnsResolver } from "../verify/dns/dns-resolver.ts";
import { createLookups } from "../verify/dns/lookups.ts";
import type { Verifier } from "../verify/evidence.ts";
import { createGet, type Get } from "../verify/https-get.ts";
import type { RangeList } from "../verify/lists/range-lists.ts";
import type { ListState } from "../verify/lists/refresher.ts";
import { createRefreshingVerifier, openRangeStore, type RefreshingVerifier } from "../verify/refreshing-verifier.ts";
import { createKeyDirectory } from "../verify/signature/key-directory.ts";
import { createSignatureUses, type SignatureUses } from "../verify/signature/signature-uses.ts";
import type { ListFigures } from "./observe/snapshot.ts";
import type { Configuration } from "./settings/settings.ts";

export interface HostVerification {
  /** Makes the verifier of a catalogue; warnings, figures and refreshing are about its lists from now on. */
  use(facts: VerificationFacts): Verifier;
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

/** Refreshes the lists of verifiers, unless the configuration forbids it. `report` receives errors. */
export function openVerification(
  { verifyRefresh, dataFolder, authority, verifySigners }: Configuration,
  report: (text: string) => void,
  { get = createGet(), uses }: VerificationParts = {},
): HostVerification {
  const parts = {
    store: openRangeStore(dataFolder),
    report,
    authority,
    get,
    uses: uses ?? createSignatureUses(Date.now),
    lookups: createLookups({ resolver: createDnsResolver(), now: Date.now }),
    keys: createKeyDirectory({ get, now: Date.now }),
    signers: verifySigners,
  };
  /** Of the refreshers before this one: counts must not decrease. */
  const before = { refreshed: 0, failed: 0 };
  let current: Current | undefined;

  function open(facts: VerificationFacts): Current {
    const known = current && sameLists(facts.proofs, current);
    return { facts, ...createRefreshingVerifier(facts, { ...parts, known }) };
  }

  return {
    use(facts) {
      // Most changes of a catalogue are about other facts.
      if (current !== undefined && JSON.stringify(current.facts) === JSON.stringify(facts)) return current.verifier;
      const next = open(facts);
      before.refreshed += current?.refresher.counts.refreshed ?? 0;
      before.failed += current?.refresher.counts.failed ?? 0;
      current?.refresher.stop();
      current = next;
      if (verifyRefresh) next.refresher.start();
      return next.verifier;
    },
    warnings: () => toWarnings(current?.refresher.states() ?? []),
    read: () => ({
      refreshed: before.refreshed + (current?.refresher.counts.refreshed ?? 0),
      failed: before.failed + (current?.refresher.counts.failed ?? 0),
      lists: (current?.refresher.states() ?? []).flatMap(({ id, asOf, prefixes }) =>
        asOf === undefined ? [] : [{ id, asOf, prefixes }],
      ),
    }),
    stop: () => current?.refresher.stop(),
  };
}

/** What verifies the crawlers of one catalogue. */
interface Current extends RefreshingVerifier {
  readonly facts: VerificationFacts;
}

/** The lists of a catalogue that are of the same addresses in another one. */
function sameLists(proofs: readonly Proof[], { facts, lists }: Current): (readonly [id: string, RangeList])[] {
  const sources = new Map(facts.proofs.map(({ id, ranges }) => [id, JSON.stringify(ranges)]));
  return proofs.flatMap(({ id, ranges }) => {
    const list = sources.get(id) === JSON.stringify(ranges) ? lists.find(id) : undefined;
    return list === undefined ? [] : [[id, list] as const];
  });
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
