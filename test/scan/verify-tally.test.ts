/** Verifying the crawlers of a log ends in time for any behavior of DNS, and reports what is unchecked. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { type CrawlerFacts, createCrawlerTally, keyOf } from "../../src/scan/count/crawler-tally.ts";
import { createTally } from "../../src/scan/count/tally.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { toReportHtml } from "../../src/scan/report/report-html.ts";
import { toTable } from "../../src/scan/report/report-table.ts";
import { sumByResult } from "../../src/scan/report/verification.ts";
import { readCrawlerAddressLists } from "../../src/scan/run/crawler-address-lists.ts";
import { verifyTally } from "../../src/scan/run/verify-tally.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";

const nothing = { requests: 0, disallowed: 0, refused: 0, errors: 0, first: 0, last: 0 };

describe("verifying a log", () => {
  for (const [what, limitMs, isAborted] of [
    ["after its limit", 300, false],
    ["when it is interrupted", 60_000, true],
  ] as const) {
    it(`ends ${what} while DNS is silent`, async () => {
      const silent = createSocket("udp4");
      silent.bind(0, "127.0.0.1");
      await once(silent, "listening");
      const tally = createTally();
      const facts = { name: "YandexBot", operator: "Yandex", category: "search-engine", purposes: [] } as const;
      const addresses = new Map(
        Array.from({ length: 500 }, (_, at) => [
          `45.33.${Math.floor(at / 250)}.${at % 250}`,
          { ...nothing, requests: 2 },
        ]),
      );
      tally.crawlers.set(keyOf(facts), { ...createCrawlerTally(facts), requests: 1000, addresses });
      const listed = { name: "GPTBot", operator: "OpenAI", category: "ai", purposes: [] } as const;
      const address = { ...nothing, requests: 3 };
      tally.crawlers.set(keyOf(listed), {
        ...createCrawlerTally(listed),
        requests: 3,
        addresses: new Map([["192.0.2.1", address]]),
      });
      const resolver = createDnsResolver([`127.0.0.1:${silent.address().port}`]);
      const said: string[] = [];
      await verifyTally(tally, {
        proofs: detector.catalogue.verification.proofs,
        evidence: openEvidence(detector.catalogue, { hasNetworks: false, resolver }),
        refreshes: false,
        limitMs,
        failed: new Map(),
        signal: isAborted ? AbortSignal.abort() : new AbortController().signal,
        say: (text) => said.push(text),
      });
      silent.close();
      const resultsOf = (facts: CrawlerFacts) =>
        sumByResult(tally.crawlers.get(keyOf(facts))!, ({ requests }) => requests);
      const counts = resultsOf(facts);
      assert.deepEqual(counts, { verified: 0, spoofed: 0, unverifiable: 0, unchecked: 1000 });
      // GPTBot has lists only: it is checked first, though it has fewer requests.
      assert.equal(resultsOf(listed)?.unchecked, isAborted ? 3 : 0);
      // DNS is silent, so no lookup is answered.
      const { dnsAsked, dnsFailed } = tally.basis!;
      const table = toTable({ report: toReport(tally), logs: [] }, { isFull: true });
      const warning =
        /^Warning: DNS failed for (\d+) of \1 addresses, so genuine and spoofed crawlers count as unverifiable\.$/m;
      assert.equal(warning.test(table), !isAborted);
      assert.equal(
        /<b><bdi>Warning: DNS failed/.test(toReportHtml({ report: toReport(tally), logs: [] }).text),
        !isAborted,
      );
      assert.match(table, /\nVerified by address\n.*\n +YandexBot .* –\n/);
      assert.deepEqual([dnsAsked > 0, dnsFailed], [!isAborted, dnsAsked]);
      assert.match(
        said.join(),
        /^Requests of crawlers: 0 verified, 0 spoofed, \d unverifiable, [\d,]+ unchecked\. Verified by .*,--verify ended (?:early|after 0\.3 s \(--verify-limit\)): (?:1000 requests from 500|1003 requests from 501) addresses were not checked\.$/,
      );
    });
  }

  it("says in one line that lists could not be downloaded, before and during the scan", async () => {
    const said: string[] = [];
    const evidence = openEvidence(detector.catalogue, {
      get: () => Promise.reject(new Error("no network")),
      report: (text) => said.push(text),
    });
    const { signal } = new AbortController();
    const { proofs } = detector.catalogue.verification;
    const options = {
      ...{ proofs, evidence, refreshes: true, limitMs: 60_000, signal },
      ...{ failed: new Map(), say: (text: string) => said.push(text) },
    };
    const tally = createTally();
    for (const name of ["GPTBot", "Googlebot"]) {
      const facts = { name, category: "ai", purposes: [] } as const;
      tally.crawlers.set(keyOf(facts), { ...createCrawlerTally(facts), requests: 1, addresses: new Map() });
    }
    const read = await readCrawlerAddressLists(options);
    await verifyTally(tally, { ...options, read });
    const failed = said.filter((text) => text.includes("no network"));
    assert.match(
      failed.join("\n"),
      /^\d+ address lists could not be downloaded, so older copies are used; the first is [\w-]+: no network\.$/,
    );
  });
});
