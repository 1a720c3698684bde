/** Verifies the crawlers of a log by the addresses that were counted: with the operators' current lists, and DNS. */
import type { Proof, Verification } from "../../detect/verification.ts";
import type { ClaimVerifier } from "../../verify/evidence.ts";
import type { Networks } from "../../verify/networks/networks.ts";
import type { OpenedEvidence } from "../../verify/open-evidence.ts";
import type { CrawlerTally, NetworkCounts, VerificationBasis, VerificationResult } from "../count/crawler-tally.ts";
import type { Tally } from "../count/tally.ts";
import { sumByResult, toBasisText, toVerificationText } from "../report/verification.ts";

/** How many addresses are looked up in DNS at a time, and how long to wait for each. */
const atATime = 50;
const waitMs = 10_000;

export interface VerifyOptions {
  /** How the crawlers of the catalogue are verified. */
  readonly proofs: readonly Proof[];
  readonly evidence: Pick<OpenedEvidence, "verifier" | "networks" | "refresh" | "lists" | "lookups">;
  /** Whether the lists are read from their operators first. */
  readonly refreshes: boolean;
  /** How long it may take in all; requests that are left then count as unchecked. */
  readonly limitMs: number;
  /** The part of that time that reading lists before the scan took, and the ids of these lists. Default: none. */
  readonly usedMs?: number;
  readonly read?: ReadonlySet<string> | undefined;
  /** The ids of the lists that could not be read from their operators, with the reasons; the function adds to it. */
  readonly failed: Map<string, string>;
  /** Whether addresses are those of a column that was found by its values. Default: false. */
  readonly isForwardedGuessed?: boolean;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** Called with progress and problems. */
  readonly say: (text: string) => void;
}

/**
 * Sets `verification` of the crawlers whose addresses were counted, and `basis`. Crawlers that need no DNS come first, so that slow DNS does
 * not use up their time; then those with the most requests.
 */
export async function verifyTally(tally: Tally, options: VerifyOptions): Promise<void> {
  const { proofs, evidence, refreshes, limitMs, usedMs = 0, read, failed, signal, say } = options;
  const { verifier, networks } = evidence;
  const end = createEnd(Math.max(Math.ceil(limitMs - usedMs), 0), signal);
  const crawlers = [...tally.crawlers.values()].filter(({ addresses }) => addresses !== undefined);
  const names = new Set(crawlers.map(({ facts }) => facts.name));
  const claimed = proofs.filter(({ crawlers }) => crawlers.some((name) => names.has(name)));
  const unread = claimed.filter(({ id }) => read?.has(id) !== true);
  if (refreshes && !signal.aborted && unread.length > 0) {
    say(`Reading the address lists of ${unread.length} more crawlers.`);
    await readLists(unread, options, end.reached);
  }
  const [first] = failed;
  if (first !== undefined)
    say(
      `${failed.size === 1 ? "1 address list" : `${failed.size} address lists`} could not be downloaded, so older copies are used; the first is ${first[0]}: ${first[1]}.`,
    );
  const unchecked = { addresses: 0, requests: 0 };
  const inDns = new Set(claimed.flatMap(({ crawlers, dns }) => (dns === undefined ? [] : crawlers)));
  const asksDns = ({ facts }: CrawlerTally): number => (inDns.has(facts.name) ? 1 : 0);
  for (const crawler of crawlers.toSorted((a, b) => asksDns(a) - asksDns(b) || b.requests - a.requests)) {
    await verifyCrawler(crawler, verifier, end, unchecked);
    const counts = networks && countNetworks(crawler, networks);
    if (counts !== undefined) crawler.networks = counts;
  }
  tally.basis = { ...basisOf(claimed, evidence), ...(options.isForwardedGuessed && { forwardedGuessed: true }) };
  say(summaryOf(crawlers, tally.basis));
  if (unchecked.requests === 0) return;
  say(
    `--verify ended ${signal.aborted ? "early" : `after ${limitMs / 1000} s (--verify-limit)`}: ${unchecked.requests} requests from ` +
      `${unchecked.addresses} addresses were not checked.`,
  );
}

/** Reads the lists of proofs from their operators, until `end` resolves. */
export async function readLists(
  proofs: readonly Pick<Proof, "id">[],
  { evidence, failed }: Pick<VerifyOptions, "evidence" | "failed">,
  end: Promise<unknown>,
): Promise<void> {
  const read = async ({ id }: Pick<Proof, "id">): Promise<void> => {
    const why = await evidence.refresh(id);
    if (why !== undefined) failed.set(id, why);
  };
  await Promise.race([each(proofs, 8, read), end]);
}

function basisOf(claimed: readonly Proof[], { lists, lookups }: VerifyOptions["evidence"]): VerificationBasis {
  const dates = claimed
    .flatMap((proof) => (proof.ranges && lists.find(proof.id)?.asOf) ?? [])
    .sort((one, other) => one - other);
  const [oldest, newest] = [dates[0], dates.at(-1)];
  return {
    ...(oldest !== undefined && { listsFrom: new Date(oldest).toISOString() }),
    ...(newest !== undefined && { listsTo: new Date(newest).toISOString() }),
    dnsAsked: lookups.asked,
    dnsFailed: lookups.asked - lookups.answered,
  };
}

/** Says how many requests could be verified at all, and by what. */
function summaryOf(crawlers: readonly CrawlerTally[], basis: VerificationBasis): string {
  const isAddress = (address: string): boolean => address !== "" && address !== "-";
  if (crawlers.length === 0) return "There are no crawlers to verify.";
  if (!crawlers.some(({ addresses }) => [...(addresses?.keys() ?? [])].some(isAddress))) {
    return "The crawlers in this log cannot be verified: the log does not contain their addresses.";
  }
  const verified = crawlers.map((crawler) => ({ verification: sumByResult(crawler, ({ requests }) => requests) }));
  return `Requests of crawlers: ${toVerificationText(verified)}. Verified by ${toBasisText(basis)}.`;
}

/** The signal to end, after the limit or before; `reached` resolves then. */
export function createEnd(limitMs: number, interruption: AbortSignal) {
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(limitMs)]);
  const reached = new Promise<"end">((resolve) => {
    signal.addEventListener("abort", () => resolve("end"), { once: true });
  });
  return { signal, reached };
}

/** Requests by the network of the client; undefined if none was in one. */
function countNetworks({ addresses }: CrawlerTally, networks: Pick<Networks, "find">): NetworkCounts | undefined {
  const counts = { tor: 0, vpn: 0, relay: 0, cdn: 0, hosting: 0 };
  for (const [address, { requests }] of addresses ?? []) {
    const network = networks.find(address);
    if (network !== undefined) counts[network.kind] += requests;
  }
  return Object.values(counts).some((requests) => requests > 0) ? counts : undefined;
}

async function verifyCrawler(
  crawler: CrawlerTally,
  verifier: ClaimVerifier,
  end: ReturnType<typeof createEnd>,
  unchecked: { addresses: number; requests: number },
): Promise<void> {
  const { facts, addresses = new Map() } = crawler;
  const claim = { crawler: true, name: facts.name };
  const results = new Map<string, VerificationResult>();
  const findings = new Map<string, Verification>();
  const byRequests = [...addresses].sort(([, a], [, b]) => b.requests - a.requests);
  await each(byRequests, atATime, async ([address, { requests }]) => {
    const answer = end.signal.aborted
      ? "end"
      : await Promise.race([verifier.verify(claim, { ip: address }, waitMs), end.reached]);
    if (answer === "end") {
      unchecked.addresses++;
      unchecked.requests += requests;
      results.set(address, "unchecked");
      return;
    }
    results.set(address, answer?.status ?? "unverifiable");
    if (answer !== undefined) findings.set(address, answer);
  });
  crawler.results = results;
  crawler.findings = findings;
}

/** Does something with each item, with so many at a time. */
export async function each<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
