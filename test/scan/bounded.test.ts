/** What keeps memory bounded tells the truth: caches, the most frequent keys, intervals of time; and times are read right. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createByteCache } from "../../src/cache/byte-cache.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { addToDelay, countExceeding, createDelayCounts, mergeDelay } from "../../src/scan/count/crawl-delay.ts";
import {
  addToHour,
  createCrawlerHours,
  dropHours,
  mergeHours,
  type Timed,
} from "../../src/scan/count/crawler-hours.ts";
import {
  addPath,
  createPathCounts,
  createPaths,
  mergePaths,
  type PathCounts,
  pathOfText,
  shortenPaths,
  topPaths,
  topPathsOfAll,
} from "../../src/scan/count/path-counts.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { createTally, mergeTally } from "../../src/scan/count/tally.ts";
import { intervalAt, mergeTimes, type TimeCounts, widenTimes } from "../../src/scan/count/times.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { readTime } from "../../src/scan/lines/time.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { toCsv } from "../../src/scan/report/report-csv.ts";
import { logLine } from "../support/log-lines.ts";
import { rowsOf } from "../support/table.ts";

describe("requests beyond a Crawl-delay", () => {
  it("are counted without further memory when there is no room, and are marked as a lower bound", () => {
    const delay = createDelayCounts(10);
    for (let minute = 0; minute < 200_000; minute++) addToDelay(delay, "", minute * 60, 9);
    assert.deepEqual([delay.isFull, countExceeding(delay, () => true)], [false, 400_000]);
    addToDelay(delay, "192.0.2.1", 0, 9);
    addToDelay(delay, "", 59, 9);
    assert.deepEqual([delay.isFull, delay.intervals.size, countExceeding(delay, () => true)], [true, 200_000, 400_009]);
  });

  it("of several threads and addresses are those of their sum", () => {
    const request = fc.record({
      address: fc.constantFrom("a", "b"),
      at: fc.integer({ min: 0, max: 300 }),
      requests: fc.integer({ min: 1, max: 9 }),
      thread: fc.nat(1),
    });
    fc.assert(
      fc.property(fc.array(request), fc.constantFrom(0.5, 7, 30, 90), (all, seconds) => {
        const threads = [createDelayCounts(seconds), createDelayCounts(seconds)] as const;
        const one = createDelayCounts(seconds);
        for (const { address, at, requests, thread } of all) {
          addToDelay(threads[thread]!, address, at, requests);
          addToDelay(one, "", at, requests);
        }
        mergeDelay(threads[0], threads[1]);
        assert.equal(
          countExceeding(threads[0], () => true),
          countExceeding(one, () => true),
        );
      }),
    );
  });
});

describe("createByteCache", () => {
  it("gives what was made of the same bytes, however few places it has", () => {
    const made: string[] = [];
    const cache = createByteCache(
      (bytes, from, to) => {
        const text = Buffer.from(bytes.subarray(from, to)).toString("latin1");
        made.push(text);
        return text;
      },
      8,
      6,
    );
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
        const all = Buffer.from(texts.join(""), "latin1");
        let from = 0;
        for (const expected of texts) {
          assert.equal(cache(all, from, from + expected.length), expected);
          from += expected.length;
        }
      }),
    );
    made.length = 0;
    const bytes = Buffer.from("xyzxyz");
    assert.equal(cache(bytes, 0, 3), cache(bytes, 3, 6));
    assert.deepEqual(made, ["xyz"]);
  });
});

describe("requests by path", () => {
  const paths = fc.array(
    fc.nat({ max: 3000 }).map((number) => `/${Math.floor(number ** 2 / 3000)}`),
    { maxLength: 4000, size: "max" },
  );
  /** All paths with their counts, estimates included. */
  const allPaths = (counts: PathCounts) => topPaths({ ...counts, floor: 0 }, 0, Number.POSITIVE_INFINITY);
  /** Counts as a thread does, in so much memory. */
  const count = (requested: readonly string[], maxBytes: number) => {
    const counted = { paths: createPaths(), counts: createPathCounts() };
    for (const path of requested) {
      addPath(counted.paths, counted.counts, pathOfText(counted.paths, path), 1);
      if (counted.paths.memory > maxBytes) shortenPaths(counted.paths, [counted.counts], maxBytes);
    }
    return counted;
  };

  it("are too low or too high by the floor at most, and in bounded memory, also of two threads", () => {
    fc.assert(
      fc.property(paths, paths, fc.integer({ min: 8_000, max: 100_000 }), (first, second, maxBytes) => {
        const { paths: all, counts: sum } = count(first, maxBytes);
        mergePaths(all, sum, count(second, maxBytes).counts);
        assert.ok(all.memory <= 2 * maxBytes && all.byText.size === sum.counts.size);
        const counted = new Map(allPaths(sum).map(({ path, requests }) => [path, requests]));
        assert.equal(counted.size, sum.counts.size);
        const exact = new Map<string, number>();
        for (const path of [...first, ...second]) exact.set(path, (exact.get(path) ?? 0) + 1);
        for (const [path, requests] of exact) {
          const found = counted.get(path);
          if (found === undefined) assert.ok(requests <= sum.floor);
          else assert.ok(found >= requests && found - sum.floor <= requests);
        }
        if (new Set([...first, ...second]).size * 300 < maxBytes) assert.equal(sum.floor, 0);
      }),
      { numRuns: 60 },
    );
  });

  it("are exact for the crawlers with most requests as long as their paths fit", () => {
    const all = createPaths();
    const crawlers = Array.from({ length: 200 }, (_, at) => ({ requests: 2000 - at, paths: createPathCounts() }));
    for (const { paths, requests } of crawlers)
      for (let at = 0; at < requests; at++) addPath(all, paths, pathOfText(all, `/${at % 300}`), 1);
    const before = all.memory;
    shortenPaths(
      all,
      crawlers.map(({ paths }) => paths),
      before,
    );
    assert.ok(all.memory <= 0.75 * before);
    const isExact = crawlers.map(({ paths }) => paths.floor === 0);
    assert.deepEqual(
      isExact,
      Array.from({ length: 200 }, (_, at) => at < 100),
    );
    for (const { paths, requests } of crawlers.slice(0, 100)) {
      const sum = allPaths(paths).reduce((sum, { requests }) => sum + requests, 0);
      assert.equal(sum, requests);
    }
  });

  it("are wrong by a tenth of the true count at most", () => {
    const all = createPaths();
    const counts = { ...createPathCounts(), floor: 1 };
    addPath(all, counts, pathOfText(all, "/a"), 9);
    addPath(all, counts, pathOfText(all, "/b"), 10);
    assert.deepEqual(topPaths(counts, 0, 10), [{ path: "/b", requests: 11 }]);
    const ofAll = topPathsOfAll(all, [counts], [0], 10);
    assert.deepEqual(ofAll, [{ path: "/b", requests: 11, most: 0 }]);
  });

  it("of /robots.txt are never called estimates", () => {
    const scanner = createScanner({ check: detector.check, isByRule: () => true, task: { maxPathBytes: 20_000 } });
    const paths = ["/robots.txt", ...Array.from({ length: 2000 }, (_, at) => `/${at}`), ...Array(5000).fill("/a")];
    const bytes = Buffer.from(paths.map((path) => logLine("curl/8", { path })).join(""));
    scanner.scan(bytes, bytes.length, inspectLog([], { logFormat: "combined" }).format);
    const csv = toCsv({ report: toReport(scanner.tally), logs: [] });
    assert.match(csv, /\/a:about 5\d{3} /);
    assert.match(csv, /\/robots\.txt:1\b/);
  });

  it("take the memory that is counted for them, and none when they are dropped", () => {
    const all = createPaths();
    const crawlers = Array.from({ length: 100 }, () => createPathCounts());
    for (const [index, counts] of crawlers.entries())
      for (let at = 0; at < 2000; at++) addPath(all, counts, pathOfText(all, `/${index}/${at}`), 1);
    shortenPaths(all, crawlers, all.memory);
    const { memory } = all;
    shortenPaths(all, crawlers, 2 * memory);
    assert.equal(all.memory, memory);
    assert.equal(
      all.byText.size,
      crawlers.reduce((sum, { counts }) => sum + counts.size, 0),
    );
    // A path that was dropped counts anew where a cache has kept it.
    const kept = pathOfText(all, "/kept");
    for (const requests of [1, 2]) assert.equal(addPath(all, crawlers[0]!, kept, requests), kept);
    assert.equal(all.byText.get("/kept"), kept);
  });

  it("by bytes and by directory are sums of all crawlers, also of several threads", () => {
    const sum = createTally();
    for (const thread of [0, 1]) {
      const scanner = createScanner({ check: detector.check, isByRule: () => true });
      const statuses = [200, 200, 503, 200, 404];
      const lines = ["/blog/a", "/blog/b", "/x", "/robots.txt", "/blog/a"].map((path, at) =>
        logLine(at % 2 === thread ? "curl/8" : "GPTBot/1.0", { path, status: statuses[at]!, bytes: 10 ** at }),
      );
      const bytes = Buffer.from(lines.join(""));
      scanner.scan(bytes, bytes.length, inspectLog([], { logFormat: "combined" }).format);
      mergeTally(sum, scanner.tally);
    }
    const { pathsByBytes, directories, clientErrors, serverErrors } = toReport(sum);
    assert.deepEqual(pathsByBytes, [
      { path: "/blog/a", requests: 4, bytes: 20_002 },
      { path: "/x", requests: 2, bytes: 200 },
      { path: "/blog/b", requests: 2, bytes: 20 },
    ]);
    assert.deepEqual(directories, [
      { path: "/blog/", requests: 6, bytes: 20_022 },
      { path: "/", requests: 2, bytes: 200 },
    ]);
    assert.deepEqual(
      [clientErrors, serverErrors].map((paths) => paths.map(({ path, requests }) => [path, requests])),
      [[["/blog/a", 2]], [["/x", 2]]],
    );
  });

  it("of thousands of invented crawlers are counted for a crawler as a whole, or among many others, in several threads", () => {
    const letters = (number: number): string =>
      number.toString(26).replace(/./g, (digit) => "qwertyuiopasdfghjklzxcvbnm"[Number.parseInt(digit, 26)]!);
    const agents = Array.from(
      { length: 18_000 },
      (_, at) => `Evil${letters(10_000 + ((at * 7919 + Math.floor(at / 6000) * 1000) % 6000))}Bot/1.0`,
    );
    const sum = createTally();
    for (const thread of [0, 1, 2]) {
      const scanner = createScanner({ check: detector.check, isByRule: () => true });
      const bytes = Buffer.from(
        agents
          .filter((_, at) => Math.floor(at / 6000) === thread || at < 50)
          .map((agent) => `${agent}\n`)
          .join(""),
      );
      scanner.scan(bytes, bytes.length, inspectLog([], { logFormat: "plain" }).format);
      mergeTally(sum, scanner.tally);
    }
    const counted = new Map<string, number>();
    for (const [at, agent] of agents.entries()) counted.set(agent, (counted.get(agent) ?? 0) + (at < 50 ? 3 : 1));
    const { crawlers, crawlerRequests } = toReport(sum);
    assert.equal(
      crawlers.reduce((total, { requests }) => total + requests, 0),
      crawlerRequests,
    );
    assert.ok(crawlers.length > 1000 && crawlers.some(({ name }) => name === "(many others)"));
    for (const { name, requests } of crawlers)
      if (name !== "(many others)") assert.equal(requests, counted.get(`${name}/1.0`), name);
  });

  it("of hostile logs fit, too: thousands of crawlers, each with many long paths", () => {
    const scanner = createScanner({ check: detector.check, isByRule: () => true, task: { maxPathBytes: 4_000_000 } });
    for (let block = 0; block < 20; block++) {
      const lines = Array.from({ length: 2000 }, (_, at) => {
        const path = `/${"x".repeat(180)}${block * 2000 + at}`;
        return logLine(`Evil${String.fromCharCode(97 + (at % 26))}${at}bot/1.0`, { path });
      });
      const bytes = Buffer.from(lines.join(""));
      scanner.scan(bytes, bytes.length, inspectLog([], { logFormat: "combined" }).format);
      assert.ok(scanner.tally.paths.memory <= 4_000_000);
    }
    const { crawlers, pathsExact } = toReport(scanner.tally);
    assert.equal(pathsExact, false);
    for (const { paths, requests } of crawlers) for (const path of paths) assert.ok(path.requests <= requests);
  });
});

describe("hours of crawlers", () => {
  it("are exact in any order, and are lost by the crawlers with the fewest requests where there is no room", () => {
    const room = { used: 0 };
    const crawlers = new Map(
      Array.from({ length: 50 }, (_, at) => [String(at), { requests: at, hours: createCrawlerHours() } as Timed]),
    );
    for (let hour = 0; hour < 2000; hour++)
      for (const [at, crawler] of [...crawlers.values()].entries())
        addToHour(room, crawler, at % 2 === 0 ? hour : 2000 - hour, at, 10 * at);
    dropHours(room, crawlers);
    assert.equal(room.used, 100_000);
    addToHour(room, crawlers.get("49")!, 5000, 1, 1);
    addToHour(room, crawlers.get("49")!, 7, 1, 1);
    dropHours(room, crawlers);
    assert.ok(room.used <= 75_000);
    const kept = [...crawlers].filter(([, { hours }]) => hours !== undefined).map(([name]) => Number(name));
    assert.deepEqual(
      kept,
      Array.from({ length: 37 }, (_, at) => 13 + at),
    );
    const { hours, requests, bytes } = crawlers.get("49")!.hours!;
    assert.deepEqual(
      [hours.length, hours.at(-1), requests[hours.indexOf(7)], bytes[hours.indexOf(7)]],
      [2001, 5000, 50, 491],
    );
    assert.ok(hours.every((hour, at) => at === 0 || hour > hours[at - 1]!));
    // What one thread has lost is not known of the sum.
    mergeHours(room, crawlers.get("49")!, crawlers.get("0")!);
    assert.equal(crawlers.get("49")!.hours, undefined);
  });
});

describe("intervals", () => {
  const count = (seconds: readonly number[]): TimeCounts => {
    const times: TimeCounts = { seconds: 60, counts: new Map() };
    for (const at of seconds) intervalAt(times, at).requests++;
    return times;
  };
  const shape = (times: TimeCounts) => {
    widenTimes(times, 400);
    return [
      times.seconds,
      [...times.counts].map(([number, { requests }]) => [number, requests]).sort(([a = 0], [b = 0]) => a - b),
    ];
  };

  it("are few over any span, lose nothing, and are the same however the log was split", () => {
    for (const span of [3600, 86_400 * 3, 86_400 * 400, 86_400 * 365 * 40]) {
      const seconds = Array.from({ length: 6000 }, (_, index) => 1_000_000_000 + Math.floor((index * span) / 6000));
      const whole = shape(count(seconds));
      const halves = count(seconds.filter((_, index) => index % 2 === 0 || index < 500));
      mergeTimes(halves, count(seconds.filter((_, index) => index % 2 === 1 && index >= 500)));
      assert.deepEqual(shape(halves), whole);
      const counts = whole[1] as number[][];
      assert.ok(counts.length <= 400 && counts.length > 20);
      assert.equal(
        counts.reduce((sum, [, requests = 0]) => sum + requests, 0),
        6000,
      );
    }
  });
});

describe("readTime", () => {
  // Moments with times that mean them, and times of which a part is not understood, so that the whole is unknown.
  for (const [expected = "", texts = ""] of rowsOf(String.raw`
    2000-10-10T20:55:36Z | 10/Oct/2000:13:55:36 -0700
    2024-02-29T23:59:59Z | 29/Feb/2024:23:59:59 +0000
    2025-12-31T18:30:00Z | 01/Jan/2026:00:00:00 +0530
    2026-03-01T00:00:00Z | 2026-03-01T00:00:00Z ; 2026-03-01
    2026-03-01T08:00:00Z | 2026-03-01T10:00:00.123456+02:00
    2026-03-01T10:00:00Z | 2026-03-01 10:00:00,123 ; 2026-03-01\t10:00:00
    2026-03-01T09:00:00Z | 1772355600 ; 1772355600.25 ; 1772355600250 ; 1772355600250000000
    2024-01-01T11:00:05Z | 2024-01-01 13:00:05.123+02 ; 2024-01-01 13:00:05,123 +0200 ; 01/Jan/2024:13:00:05 +02
    2024-01-01T16:00:05Z | 2024-01-01 13:00:05-03
    2024-01-01T13:00:00Z | 2024-01-01T13:00Z
    2024-01-01T11:00:00Z | 2024-01-01T13:00+02:00
    2024-01-01T13:00:05Z | 2024/01/01 13:00:05 ; 2024-01-01 13:00:05 UTC ; 01/Jan/2024:13:00:05.123 +0000
    2024-03-01T00:00:00Z | 2024-02-29T23:59:60Z
                         | 10/Foo/2000:13:55:36 -0700 ; 2026-13-01T00:00:00Z ; 0001-01-01T00:00:00Z
                         | 02/Mar/2026:1x:00:00 +0000 ; 02/Mar/2026:x1:00:00 +0000 ; 2026-03-02T10:/0:00Z
                         | 2024-01-01 13:00:05 CEST ; 2024-01-01 13:00:05 PM ; 2024-01-01 1pm ; 2024-01-01 25:00:00
                         | 2024-01-01 13:60:00 ; 2024-02-30T00:00:00Z ; 2024-01/01 13:00:05 ; 01/Jan/2024 13:00:05
                         | 1772355600.5x ; 13:00:05 ; - ; yesterday
  `))
    for (const text of [
      ...texts.replaceAll("\\t", "\t").split(" ; "),
      ...(expected === "" ? ["", "2024-01-01 13:00:05 "] : []),
    ])
      it(`reads ${JSON.stringify(text)} as ${expected}`, () => {
        const bytes = Buffer.from(`[${text}]`);
        const seconds = readTime(bytes, 1, bytes.length - 1);
        assert.equal(
          Number.isNaN(seconds) ? "" : new Date(seconds * 1000).toISOString().replace(".000Z", "Z"),
          expected,
        );
      });
});
