/** Counts agree exactly with a slow count that asks `check` about each request, whatever the format. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { items } from "../../src/detect/built-in/items.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import { createIsByRule } from "../../src/scan/count/agents.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { createTally, mergeTally, type Tally } from "../../src/scan/count/tally.ts";
import { detectFormat } from "../../src/scan/formats/detect-format.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { cutAtDirectives } from "../../src/scan/formats/w3c.ts";
import type { LogFormat } from "../../src/scan/lines/format.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { type LoggedRequest, type LogWriter, logWriters } from "./log-writers.ts";

const isByRule = createIsByRule(items);

const odd = [
  "",
  "-",
  'Nobody\'s "quoted" Bot/1.0',
  "back\\slash bot\\",
  "бот Googlebot/2.1 é🤖",
  "percent %20 bot, with commas, too",
  `long bot ${"x".repeat(400)}`,
  "FooBot/1.0 (+http://foo.example/bot)",
  "{json} bot",
  "#bot",
  "Ends with a semicolon bot;",
  "Ends with a comma bot,",
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
];

// IIS writes a plus sign as it writes a space, and a column of TSV has no tabs.
const useragent = fc.oneof(
  fc.constantFrom(...detector.strings().filter((text) => !/[\t+]/.test(text))),
  fc.constantFrom(...odd),
);

const request: fc.Arbitrary<LoggedRequest> = fc.record({
  useragent,
  time: fc.integer({ min: 1_700_000_000, max: 1_700_600_000 }),
  status: fc.constantFrom(200, 301, 404, 500),
  bytes: fc.nat({ max: 5_000_000 }),
  path: fc.constantFrom("/", "/robots.txt", "/a/b", "/%C3%A4"),
  address: fc.constantFrom("192.0.2.7", "2001:db8::1"),
});

type Logged = Omit<LoggedRequest, "useragent"> & { readonly useragent: string | undefined };

/** A log without user agents says nothing of crawlers. */
const isByCrawler = ({ useragent }: Logged): boolean => useragent !== undefined && detector.check(useragent).crawler;

/** Each format loses something; what it cannot say counts as nothing. */
function asLogged(requests: readonly LoggedRequest[], { name, without = [] }: LogWriter): readonly Logged[] {
  const lost = Object.fromEntries(
    without.map((name) => [name, name === "useragent" ? undefined : name === "path" ? "" : Number.NaN]),
  );
  const logged = requests.map((request) => ({ ...request, ...lost }));
  // Where a line is nothing but the user agent, an empty line is no line.
  return name === "plain" ? logged.filter(({ useragent }) => useragent !== "") : logged;
}

/** The slow version. */
function countSlowly(requests: readonly Logged[]) {
  const crawlers = new Map<
    string,
    {
      requests: number;
      bytes: number;
      times: number[];
      statuses: Record<string, number>;
      paths: Record<string, number>;
    }
  >();
  for (const request of requests.filter(isByCrawler)) {
    const { useragent, time, status, bytes, path } = request;
    const isMissing = useragent === "" || useragent === "-";
    const verdict = detector.check(useragent);
    const { operator, category } = verdict;
    const name = entryOf(verdict) ?? (isMissing ? "(no user agent)" : "(no name)");
    const key = `${name.slice(0, 100)}|${operator ?? ""}|${category ?? "other"}`;
    const counts = crawlers.get(key) ?? { requests: 0, bytes: 0, times: [], statuses: {}, paths: {} };
    crawlers.set(key, counts);
    counts.requests++;
    counts.bytes += bytes || 0;
    if (!Number.isNaN(time)) counts.times.push(time);
    if (!Number.isNaN(status)) counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
    if (path !== "") counts.paths[path] = (counts.paths[path] ?? 0) + 1;
  }
  const all = [...crawlers].map(([key, { times, ...counts }]) => ({
    key,
    ...counts,
    ...(times.length > 0 && { first: toIso(Math.min(...times)), last: toIso(Math.max(...times)) }),
  }));
  const byCrawlers = requests.filter(isByCrawler);
  const sum = (some: readonly Logged[]): number => some.reduce((total, { bytes }) => total + (bytes || 0), 0);
  return {
    requests: requests.length,
    crawlerRequests: byCrawlers.length,
    bytes: sum(requests),
    crawlerBytes: sum(byCrawlers),
    crawlers: all.sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}

const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** What the scan has counted, in the shape of the slow version. */
function comparable(tally: Tally) {
  const { requests, crawlerRequests, bytes, crawlerBytes, crawlers } = toReport(tally);
  const all = crawlers.map(({ name, operator, category, requests, bytes, statuses, paths, first, last }) => ({
    key: `${name}|${operator ?? ""}|${category}`,
    requests,
    bytes,
    statuses: { ...statuses },
    paths: Object.fromEntries(paths.map(({ path, requests }) => [path, requests])),
    ...(first !== undefined && { first, last }),
  }));
  return { requests, crawlerRequests, bytes, crawlerBytes, crawlers: all.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

/** Scans as two threads would, in blocks cut at the ends of lines. */
function scan(text: string, format: LogFormat, blocks: number): Tally {
  const bytes = Buffer.from(text);
  const scanners = [0, 1].map(() => createScanner({ check: detector.check, isByRule }));
  let from = 0;
  for (let block = 0; block < blocks; block++) {
    const end =
      block === blocks - 1
        ? bytes.length
        : bytes.indexOf(10, Math.max(from, Math.floor(((block + 1) * bytes.length) / blocks))) + 1;
    const some = bytes.subarray(from, end === 0 ? bytes.length : end);
    for (const part of cutAtDirectives(some, some.length, format)) {
      scanners[block % 2]?.scan(some.subarray(part.from, part.to), part.to - part.from, part.format);
    }
    from += some.length;
  }
  const tally = createTally();
  for (const scanner of scanners) mergeTally(tally, scanner.tally);
  return tally;
}

/** As the command line would be told. */
function formatOf({ options = [] }: LogWriter, lines: readonly string[]): LogFormat {
  if (options[0] === "--log-format") return inspectLog(lines, { logFormat: options[1] as string }).format;
  const fields = options.filter((option) => option !== "--field").map((option) => option.split("=").reverse());
  const format = detectFormat(lines, Object.fromEntries(fields.map(([name, field = "useragent"]) => [field, name])));
  assert.ok(format, `no format fits ${lines[0]}`);
  return format;
}

describe("scan and check agree", () => {
  for (const [index, writer] of logWriters.entries()) {
    it(`on ${writer.name} (${index})`, () => {
      fc.assert(
        fc.property(
          fc.array(request, { minLength: 12, maxLength: 60 }),
          fc.integer({ min: 1, max: 5 }),
          (requests, blocks) => {
            // Enough to guess by, whatever else is drawn.
            const all = [...requests, { ...requests[0]!, useragent: "Googlebot/2.1" }];
            const text = writer.write(all);
            const format = formatOf(writer, text.split("\n"));
            assert.equal(format.name, writer.name);
            const [envelope] = format.envelopes ?? [];
            assert.equal(typeof envelope === "object" ? "json" : envelope, writer.envelope);
            const tally = scan(text, format, blocks);
            assert.equal(tally.broken, 0, tally.examples[0]);
            assert.deepEqual(comparable(tally), countSlowly(asLogged(all, writer)));
          },
        ),
        { numRuns: 6 },
      );
    });
  }
});

it("a number names a column, also where a value of the first line is that number", () => {
  const format = detectFormat(["2,Googlebot/2.1,x", "7,Bingbot/2.0,y"], { useragent: "2" });
  assert.deepEqual(format?.columns, { separator: ",", columns: [null, "useragent", null] });
});
