/**
 * Puts together what reads the evidence of requests, for every interface: the verifier with operators' lists, DNS, keys and signatures;
 * the networks of addresses; the signals. Keeps the lists of addresses up to date from start() to stop().
 */
import { join } from "node:path";
import { readNetworkSources } from "../detect/built-in/networks.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import type { Proof, VerificationFacts } from "../detect/verification.ts";
import { inSlices } from "../http/event-loop-turns.ts";
import { createDnsResolver } from "./dns/dns-resolver.ts";
import { createLookups, type LookupCounts } from "./dns/lookups.ts";
import type { Resolver } from "./dns/reverse-dns.ts";
import type { ClaimVerifier } from "./evidence.ts";
import { createGet, type Get } from "./https-get.ts";
import { type CrawlerAddresses, createCrawlerAddresses } from "./lists/crawler-addresses.ts";
import { createOperatorOf, createRangeLists, type RangeLists, toAgeWarnings } from "./lists/operator-lists.ts";
import type { RangeList } from "./lists/range-list.ts";
import { createRangeStore, type RangeStore } from "./lists/range-store.ts";
import { type RefreshCounts, Refresher, toWarnings } from "./lists/refresher.ts";
import { createNetworks, createNetworksRefresher, type Networks } from "./networks/networks.ts";
import { ProxyWatch } from "./proxy-watch.ts";
import { createSignals } from "./signals/signals.ts";
import { createKeySets } from "./signature/key-sets.ts";
import { createSignatureUses, type SignatureUses } from "./signature/signature-uses.ts";
import { createClaimVerifier } from "./verifier.ts";
import type { EvidenceReaders } from "./verify-verdict.ts";

export interface EvidenceOptions {
  /** The site's own names, each read by parseAuthority. Default: none, so that no signature is verified. */
  readonly authority?: readonly string[];
  /** Agents that may sign beside the agents of the catalogue, each read by parseSigner. Default: none. */
  readonly signers?: readonly string[];
  /** Where lists are kept between runs: operators' lists in the folder `ranges`, lists of networks in `networks`. Default: nowhere. */
  readonly dataFolder?: string | undefined;
  /** Where downloaded lists are kept instead; the data folder is then only read. Default: the data folder. */
  readonly cacheFolder?: string | undefined;
  /** Whether networks of addresses are found. Default: true. */
  readonly hasNetworks?: boolean;
  /**
   * Called with a line about each list that cannot be refreshed or kept, and once each if crawlers have only private addresses, and if
   * many requests come from CDNs. Default: nothing is reported.
   */
  readonly report?: (text: string) => void;
  /** Gets lists and keys. Default: from the Internet. */
  readonly get?: Get | undefined;
  /** Where used signatures are stored. Default: a memory of its own. */
  readonly uses?: SignatureUses;
  /** Asks DNS. Default: as the machine does. */
  readonly resolver?: Resolver;
  readonly now?: () => number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/** The facts of a catalogue that evidence is read by. */
export type EvidenceFacts = Pick<CompiledCatalogue, "items" | "verification">;

export interface OpenedEvidence extends EvidenceReaders {
  readonly verifier: ClaimVerifier;
  readonly networks: Networks | undefined;
  /** The operators' lists that the verifier uses. */
  readonly lists: RangeLists;
  /** Reads evidence by the facts of another catalogue from now on. Lists of the same addresses stay in use, and counts go on. */
  use(facts: EvidenceFacts): ClaimVerifier;
  /** Takes the lists of the folders that are newer, without any request. */
  adopt(): Promise<void>;
  /**
   * Reads the lists that requests with an address need, in steps. The networks' lists only if all requests have one (`knowsClients`);
   * otherwise the first request with an address waits for them.
   */
  prepare(knowsClients: boolean): Promise<void>;
  /** Downloads the list of a proof, by its id, without a report. Returns why that failed; never rejects. */
  refresh(id: string): Promise<string | undefined>;
  /**
   * Downloads each operator's list about once a day, and each network's from the first question about an address on. Holds no process open.
   */
  start(): void;
  /** Downloads no more lists; the lists stay in use. */
  stop(): void;
  /** Which lists could not be refreshed. */
  warnings(): string[];
  /** Which lists are too old to be used, if none are downloaded. */
  ageWarnings(): string[];
  /** What the addresses of requests so far say about the settings of proxies. */
  proxyWarnings(): readonly string[];
  /** The lists that are kept up to date, and how often that was done and has failed since the evidence was opened. */
  figures(): ListFigures;
  /** Lookups in DNS since the evidence was opened. */
  readonly lookups: Readonly<LookupCounts>;
}

/** The lists of addresses of one process. */
export interface ListFigures extends RefreshCounts {
  readonly lists: readonly { readonly id: string; readonly asOf: number; readonly prefixes: number }[];
}

/** Opens what reads evidence, with the lists that the catalogue and this package have copies of. */
export function openEvidence(facts: EvidenceFacts, options: EvidenceOptions = {}): OpenedEvidence {
  const { dataFolder, cacheFolder, hasNetworks = true, report = () => {} } = options;
  const { authority = [], signers = [], now = Date.now, get = createGet(), random = Math.random } = options;
  let isStarted = false;
  /** Before the first question about an address, no list of networks is downloaded. */
  let isAsked = false;
  const onFirstQuestion = (): void => {
    isAsked = true;
    if (isStarted) networksRefresher?.start();
  };
  // An imitator is told from a CDN without networks, too.
  const sources = readNetworkSources().filter(({ kind }) => hasNetworks || kind === "cdn");
  const known = createNetworks(sources, onFirstQuestion);
  const networks = hasNetworks ? known : undefined;
  const watch = new ProxyWatch(report, known.findCdn);
  const counts = { refreshed: 0, failed: 0 };
  const refreshing = { get, now, random, report, counts };
  const parts = {
    lookups: createLookups({ resolver: options.resolver ?? createDnsResolver(), now }),
    keys: createKeySets({ get, now }),
    uses: options.uses ?? createSignatureUses(now),
    authority: new Set(authority),
    signers,
    now,
    findCdn: known.findCdn,
    watch,
  };

  function openStore(subfolder: string): RangeStore {
    const [own, cache] = [dataFolder, cacheFolder].map((folder) =>
      folder === undefined ? undefined : createRangeStore(join(folder, subfolder)),
    );
    return {
      async read(id) {
        const [one, other] = await Promise.all([own?.read(id), cache?.read(id)]);
        return one && other && one.asOf < other.asOf ? other : (one ?? other);
      },
      write: async (id, list) => (cache ?? own)?.write(id, list),
    };
  }

  /** Asks the catalogue of the time, because a reload may rename an operator. */
  const nameOperator = (proof: Proof) => operatorOf(proof);
  const store = openStore("ranges");
  function openVerifier(facts: VerificationFacts, before?: Verifying): Verifying {
    const { proofs, ranges } = facts;
    const lists = createRangeLists(ranges, before && sameLists(proofs, before));
    const refresher = new Refresher({ ...refreshing, sources: proofs, lists, store });
    const crawlerAddresses = createCrawlerAddresses(proofs, lists, nameOperator, now);
    const verifier = createClaimVerifier({ ...parts, proofs, lists, crawlerAddresses, operatorOf: nameOperator });
    return { facts, lists, refresher, crawlerAddresses, verifier };
  }

  let signals = createSignals(facts);
  let operatorOf = createOperatorOf(facts.items);
  let current = openVerifier(facts.verification);
  const networksRefresher =
    networks && createNetworksRefresher(networks, { ...refreshing, store: openStore("networks") });
  const states = () => [
    ...current.refresher.states(),
    ...(isStarted && isAsked ? (networksRefresher?.states() ?? []) : []),
  ];

  return {
    get verifier() {
      return current.verifier;
    },
    networks,
    get signals() {
      return signals;
    },
    get lists() {
      return current.lists;
    },
    use(facts) {
      signals = createSignals(facts);
      operatorOf = createOperatorOf(facts.items);
      // Most changes of a catalogue are about other facts.
      if (JSON.stringify(current.facts) === JSON.stringify(facts.verification)) return current.verifier;
      current.refresher.stop();
      current = openVerifier(facts.verification, current);
      if (isStarted) current.refresher.start();
      return current.verifier;
    },
    async adopt() {
      if ((dataFolder ?? cacheFolder) !== undefined)
        await Promise.all([current.refresher.adopt(), networksRefresher?.adopt()]);
    },
    async prepare(knowsClients) {
      if (knowsClients) await networks?.open();
      await inSlices(current.crawlerAddresses.prepare());
    },
    refresh: (id) => current.refresher.refresh(id),
    start() {
      isStarted = true;
      current.refresher.start();
      if (isAsked) networksRefresher?.start();
    },
    stop() {
      isStarted = false;
      current.refresher.stop();
      networksRefresher?.stop();
    },
    lookups: parts.lookups.counts,
    warnings: () => toWarnings(states()),
    ageWarnings: () => toAgeWarnings(current.facts.proofs, current.lists, operatorOf, now()),
    proxyWarnings: () => watch.warnings,
    figures: () => ({
      ...counts,
      lists: states().flatMap(({ id, asOf, prefixes }) => (asOf === undefined ? [] : [{ id, asOf, prefixes }])),
    }),
  };
}

/** What verifies the crawlers of one catalogue. */
interface Verifying {
  readonly facts: VerificationFacts;
  readonly lists: RangeLists;
  readonly refresher: Refresher;
  readonly crawlerAddresses: CrawlerAddresses;
  readonly verifier: ClaimVerifier;
}

/** The lists of a catalogue that are of the same addresses in another one. */
function sameLists(proofs: readonly Proof[], { facts, lists }: Verifying): (readonly [id: string, RangeList])[] {
  const sources = new Map(facts.proofs.map(({ id, ranges }) => [id, JSON.stringify(ranges)]));
  return proofs.flatMap(({ id, ranges }) => {
    const list = sources.get(id) === JSON.stringify(ranges) ? lists.find(id) : undefined;
    return list === undefined ? [] : [[id, list] as const];
  });
}
