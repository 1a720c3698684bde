/** Verifies the crawlers of a log by the addresses that were counted: with lists as their operators have them now, and DNS. */
import { join } from "node:path";
import type { VerificationStatus } from "../detect/verification.ts";
import type { CrawlerTally, Tally } from "../scan/tally.ts";
import { createProofOf } from "../verify/claims.ts";
import { createDefaultLists, createDefaultVerifier, proofs } from "../verify/default.ts";
import { createGet } from "../verify/https-get.ts";
import { createRangeStore } from "../verify/range-store.ts";
import { createRefresher } from "../verify/refresher.ts";
import type { Verifier } from "../verify/verification.ts";
import { withoutPort } from "./client-address.ts";
import { settings } from "./settings.ts";

/** DNS is asked about so many addresses at a time, and waited for so long. */
const atATime = 50;
const waitMs = 10_000;

/** Sets `verification` of the crawlers whose addresses were counted. `say` is told what it does and what goes wrong. */
export async function verifyTally(
  tally: Tally,
  environment: Readonly<Record<string, string | undefined>>,
  say: (text: string) => void,
): Promise<void> {
  const crawlers = [...tally.crawlers.values()].filter(({ addresses }) => addresses !== undefined);
  const lists = createDefaultLists();
  const proofOf = createProofOf(proofs);
  const claimed = [...new Set(crawlers.flatMap(({ facts }) => proofOf(facts.name) ?? []))];
  const textOf = ({ env, default: standard }: { env: string; default: string }) => environment[env] || standard;
  const store = createRangeStore(join(textOf(settings.dataFolder), "ranges"));
  const refresher = createRefresher({
    proofs: claimed,
    lists,
    get: createGet(),
    // What a service has kept is used; a scan leaves nothing behind.
    store: { read: store.read, write: async () => {} },
    now: Date.now,
    random: Math.random,
    report: say,
  });
  if (settings.verifyRefresh.parse(textOf(settings.verifyRefresh))) {
    say(`Reading the lists of addresses of ${claimed.length} operators.`);
    await each(claimed, 8, ({ id }) => refresher.refresh(id));
  } else await refresher.adopt();
  const verifier = createDefaultVerifier({ lists });
  for (const crawler of crawlers) crawler.verification = await verifyCrawler(crawler, verifier);
}

async function verifyCrawler({ facts, addresses }: CrawlerTally, verifier: Verifier) {
  const { name, category } = facts;
  const verdict = { useragent: name, crawler: true, name, category, pattern: "", match: "" } as const;
  const counts: Record<VerificationStatus, number> = { verified: 0, spoofed: 0, unverifiable: 0 };
  await each([...(addresses ?? [])], atATime, async ([address, requests]) => {
    const verification = await verifier.verify(verdict, { ip: withoutPort(address) }, waitMs);
    counts[verification?.status ?? "unverifiable"] += requests;
  });
  return counts;
}

/** Does something with each item, with so many at a time. */
async function each<Item>(items: readonly Item[], width: number, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
