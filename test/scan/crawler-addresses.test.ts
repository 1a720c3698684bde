/** Requests with people's strings from addresses of crawlers, as a scan counts them, against what Check says of each line; and findings. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { toAddressText } from "../../src/address/address.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readRangeCopy } from "../../src/detect/range-copy.ts";
import { createFindAddress } from "../../src/scan/count/address-index.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { createTally, mergeTally } from "../../src/scan/count/tally.ts";
import { detectFormat } from "../../src/scan/formats/detect-format.ts";
import { toFindings } from "../../src/scan/report/findings.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { toCrawlerAddressTask } from "../../src/scan/run/crawler-address-lists.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";
import { openVerifier } from "../verify/open-verifier.ts";

const { verification } = detector.catalogue;
const verifier = openVerifier(verification, { now: () => Date.parse("2026-05-06") });
const task = toCrawlerAddressTask(verifier)!;
const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

/** Addresses at and beside the ends of the lists' prefixes, in several spellings, and others. */
const addresses = [
  ...verification.proofs
    .flatMap(({ id, exclusive }) => (exclusive && verification.ranges[id] ? [verification.ranges[id]] : []))
    .flatMap((copy) => [...readRangeCopy(copy)])
    .filter((_, at) => at % 11 === 0)
    .flatMap(({ address, length }) => {
      const end = address + (1n << BigInt(128 - length));
      return [address - 1n, address, end - 1n, end].map(toAddressText);
    }),
  ...[
    "66.249.66.1:4711",
    "[2001:4860:4801:10::1]:443",
    "::ffff:66.249.66.1",
    "::FFFF:42f9:4201",
    "2001:4860:4801:0010:0::1",
  ],
  ...[
    "0:0:0:0:0:ffff:66.249.66.1",
    "0000:0000:0000:0000:0000:ffff:42f9:4201",
    "66.249.066.1",
    "66.249.66.256",
    "66.249.66",
  ],
  ...["-", "unknown", "8.8.8.8", "172.64.0.1", "::1", "2001:4860:4861::1", "66.249.66.1.1", "`001:4860::1", "2a00::1"],
];

it("each address is found where Check finds it", () => {
  const find = createFindAddress(task.intervals);
  for (const ip of addresses.filter((ip) => !/\d:4711|\]/.test(ip))) {
    const bytes = new TextEncoder().encode(`x${ip} `);
    assert.equal(task.lists[find(bytes, 1, bytes.length - 1)]?.source, verifier.crawlerAddress?.(ip)?.source, ip);
  }
});

/** Scans lines in threads, so to speak. */
function scan(lines: readonly string[], threads: number) {
  const tally = createTally({ crawlerAddresses: task });
  for (let thread = 0; thread < threads; thread++) {
    const scanner = createScanner({ task: { crawlerAddresses: task }, check: detector.check, isByRule: () => false });
    const bytes = new TextEncoder().encode(
      lines
        .filter((_, at) => at % threads === thread)
        .map((line) => `${line}\n`)
        .join(""),
    );
    scanner.scan(bytes, bytes.length, detectFormat(lines.slice(0, 50))!);
    mergeTally(tally, scanner.tally);
  }
  return toReport(tally);
}

it("requests, bytes, paths, strings and times of each list are those of the lines, from one thread or several", () => {
  const strings = [chrome, firefox, googlebot, gptbot, "-", "ExampleApp/1.0"];
  const lines = addresses.flatMap((ip, at) =>
    strings.map((useragent, each) => ({ ip, useragent, path: `/${at % 13}`, bytes: at + each, minute: (at * 7) % 60 })),
  );
  const expected = new Map<
    string,
    { requests: number; bytes: number; paths: Map<string, number>; useragents: Set<string> }
  >();
  for (const { ip, useragent, path, bytes } of lines) {
    if (detector.isCrawler(useragent)) continue;
    const found = verifier.crawlerAddress?.(ip.replace(/^([\d.]+):\d+$/, "$1").replace(/^\[(.*)\]:\d+$/, "$1"));
    if (found === undefined) continue;
    const sums = expected.get(found.source) ?? { requests: 0, bytes: 0, paths: new Map(), useragents: new Set() };
    expected.set(found.source, sums);
    sums.requests++;
    sums.bytes += bytes;
    sums.paths.set(path, (sums.paths.get(path) ?? 0) + 1);
    sums.useragents.add(useragent);
  }
  const log = lines.map(({ ip, useragent, path, bytes, minute }) => {
    const time = `05/May/2026:10:${String(minute).padStart(2, "0")}:00 +0000`;
    return `${ip} - - [${time}] "GET ${path}?q=1 HTTP/1.1" 200 ${bytes} "-" "${useragent}"`;
  });
  const reports = [1, 3].map((threads) => scan(log, threads).crawlerAddresses ?? []);
  assert.deepEqual(reports[0], reports[1]);
  assert.deepEqual(reports[0]!.map(({ source }) => source).toSorted(), [...expected.keys()].toSorted());
  for (const { source, requests, bytes, paths, useragents, incomplete, first = "", last = "" } of reports[0]!) {
    const sums = expected.get(source)!;
    assert.deepEqual([requests, bytes, incomplete], [sums.requests, sums.bytes, undefined], source);
    assert.deepEqual(
      paths.map(({ requests }) => requests),
      [...sums.paths.values()].toSorted((one, other) => other - one).slice(0, 10),
    );
    for (const { path, requests } of paths) assert.equal(requests, sums.paths.get(path));
    assert.deepEqual(new Set(useragents.map(({ useragent }) => useragent)), sums.useragents);
    assert.match(`${first} ${last}`, /^2026-05-05T10:\d\d:00Z 2026-05-05T10:\d\d:00Z$/);
    assert.ok(first <= last);
  }
});

it("are a finding, and no alarm, from 100 requests and 1% of those with people's strings on", () => {
  const line = (ip: string) => `${ip} - - [05/May/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "${firefox}"`;
  const found = (ofCrawlers: number, others: number) => {
    const lines = [...new Array(ofCrawlers).fill(line("66.249.66.1")), ...new Array(others).fill(line("8.8.8.8"))];
    const report = scan(lines, 1);
    const findings = toFindings({ report, logs: [] });
    return findings.find(({ id }) => id === "crawler-addresses");
  };
  assert.equal(found(99, 0), undefined);
  assert.equal(found(100, 9901), undefined);
  const { text, isAlarm } = found(100, 9900)!;
  assert.equal(isAlarm, false);
  assert.equal(text, "100 of 10,000 requests (1.0%) with browsers' strings came from crawlers' addresses: Google 100.");
});

it("a log with CDNs' addresses is a finding, and no alarm, from a tenth of the checked requests on", () => {
  const line = `172.64.0.1 - - [05/May/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "${googlebot}"`;
  const report = scan(new Array(200).fill(line), 1);
  const found = (cdn: number) => {
    const crawlers = report.crawlers.map((crawler) => ({
      ...crawler,
      verification: { verified: 0, spoofed: 0, unverifiable: 200, unchecked: 0 },
      networks: { tor: 0, vpn: 0, relay: 0, cdn, hosting: 0 },
    }));
    return toFindings({ report: { ...report, crawlers }, logs: [] }).find(({ id }) => id === "cdn");
  };
  assert.equal(found(19), undefined);
  assert.deepEqual([found(20)?.isAlarm, found(20)?.section], [false, "crawler-networks"]);
  assert.match(found(20)!.text, /^20 of 200 requests \(10\.0%\) by known crawlers have addresses of CDNs\./);
});
