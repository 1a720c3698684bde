/** A service, exports and a verifier know the catalogue of the detector that they are given; a service may be given another one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector as builtIn } from "../../src/detect/built-in/detector.ts";
import { fromBytesText } from "../../src/detect/text.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { exportAutomaton } from "../../src/export/targets/automaton.ts";
import { targets } from "../../src/export/targets.ts";
import type { RecordedString } from "../../src/record/store.ts";
import { createVerifier } from "../../src/verify.ts";
import { acme, browser, createCustomDetector } from "../support/custom-detector.ts";
import { open } from "./open.ts";

/** A crawler of the package's catalogue that this one does not know. */
const curl = "curl/8.5.0";
const detector = createCustomDetector();
const list = "/RestService/List/json";

/** The built-in detector, which counts the strings that it is asked about. */
function createCounting() {
  const counting = {
    ...builtIn,
    asked: 0,
    check(useragent: Parameters<typeof builtIn.check>[0]) {
      counting.asked++;
      return builtIn.check(useragent);
    },
  };
  return counting;
}

describe("a service with a detector", () => {
  const { text, json, statusOf, check, auth } = open({ detector });

  it("gives its verdicts, in Check and in /auth", async () => {
    const found = [];
    for (const useragent of [acme, curl, browser]) found.push((await check({ useragent })).name);
    assert.deepEqual(found, ["Acme Monitor", undefined, undefined]);
    assert.equal((await check({ useragent: curl })).crawler, false);
    const statuses = [];
    for (const [query, useragent] of [
      ["operator:Acme", acme],
      ["operator:Acme", curl],
      ["curl", acme],
    ] as const)
      statuses.push((await auth(`?block=${query}`, useragent)).status);
    assert.deepEqual(statuses, [403, 204, 429]);
  });

  it("lists its strings, and returns its expression in every flavor", async () => {
    assert.equal((await json(list)).version, detector.version);
    assert.match(await text(list), /AcmeMonitor\/2\.1.*FooBot/s);
    assert.equal(await text("/RestService/RegExp"), detector.expression);
    for (const [flavor, spelling] of Object.entries(toExpressions(detector.catalogue)))
      assert.equal(await text(`/RestService/RegExp?flavor=${flavor}`), spelling);
  });

  it("shows its crawlers, with snippets and explanations", async () => {
    assert.match(await text("/crawlers"), /^(?!.*curl).*Acme Monitor/s);
    assert.match(await text("/crawlers/acme-monitor"), /User-agent: AcmeMonitor|map \$http_user_agent \$acme_monitor/);
    assert.match(await text(`/?useragent=${encodeURIComponent(acme)}`), /AcmeMonitor\/<\/mark>/);
    assert.equal(await statusOf("/crawlers/curl"), 404);
    assert.ok((await text("/expression")).includes(`<p>${detector.expression.length} characters`));
    // The page's module would decide with the catalogue of the package.
    const files = { addresses: { "try.js": "/try-x.js" }, read: () => undefined };
    for (const [each, isTried] of [
      [detector, false],
      [builtIn, true],
    ] as const)
      assert.equal((await open({ detector: each, files }).text("/")).includes("try-x.js"), isTried);
  });

  it("finds the verdicts of its strings once, and others have turns while it is prepared", async () => {
    const [first, second] = [createCounting(), createCounting()];
    const strings = builtIn.strings().length;
    const { service, statusOf } = open({ detector: first });
    const askFirst = async () => {
      for (const path of [list, "/RestService/List/xml", "/crawlers", "/crawlers/gptbot"])
        assert.equal(await statusOf(path), 200);
    };
    assert.equal(first.asked, 0);
    let turns = 0;
    let isPrepared = false;
    const count = () => {
      turns++;
      if (!isPrepared) setImmediate(count);
    };
    count();
    await service.prepare();
    isPrepared = true;
    assert.equal(first.asked, strings);
    assert.ok(turns > 1, `${turns} turns`);
    await askFirst();
    assert.equal(first.asked, strings);
    // A request that comes before the end of it does the rest at once.
    service.use({ detector: second });
    const preparing = service.prepare();
    await askFirst();
    await preparing;
    assert.deepEqual([first.asked, second.asked], [strings, strings]);
  });

  it("decides a repeated body once, unless it has more than 1,024 characters", async () => {
    const counting = createCounting();
    const { text } = open({ detector: counting });
    const ask = (body: string) => text("/RestService/Check", {}, body);
    for (const [length, times] of [
      [1024, 1],
      [1025, 3],
    ] as const) {
      const body = `{"useragent":"curl/8","x":"`.padEnd(length - 2, "x").concat('"}');
      const first = await ask(body);
      assert.match(first, /"crawler":true/);
      assert.deepEqual([await ask(body), counting.asked], [first, times], `${length} characters`);
    }
    for (const useragent of ["a", "b"]) await ask(JSON.stringify({ useragent }));
    assert.equal(counting.asked, 5);
  });
});

describe("a service that is given another detector", () => {
  const one = createCustomDetector("1.0.0+one", "OneMonitor/");
  const two = createCustomDetector("1.0.0+two", "TwoMonitor/");

  it("ends a list with the catalogue that it began with, which goes on holding its place", async () => {
    const row: RecordedString = { useragent: "x", crawler: false, count: 1, firstSeen: 0, lastSeen: 0 };
    const gate = Promise.withResolvers<void>();
    const record = {
      note() {},
      async *list() {
        yield Array.from({ length: 500 }, () => row);
        await gate.promise;
        yield [{ ...row, useragent: "the last" }];
      },
      count: async () => undefined,
    };
    const { service, ask, json, statusOf } = open({ detector: one, record, maxLists: 1 });
    const answer = await ask(list);
    service.use({ detector: two });
    assert.equal(await statusOf(list), 503);
    gate.resolve();
    const text = await answer.text();
    assert.equal(JSON.parse(text).version, one.version);
    assert.match(text, /^(?!.*TwoMonitor).*the last/s);
    assert.equal((await json(list)).version, two.version);
  });

  it("forgets the answers and policies of the one before", async () => {
    const { service, check, auth } = open({ detector: one });
    const useragent = "OneMonitor/1";
    for (const [detector, isKnown] of [
      [one, true],
      [two, false],
      [one, true],
    ] as const) {
      service.use({ detector });
      assert.equal((await check({ useragent })).crawler, isKnown);
      assert.equal((await auth("?block=monitor", useragent)).status, isKnown ? 403 : 204);
    }
  });
});

it("exports of a detector select from its crawlers, and have its automata", () => {
  const options = { variable: "is_own", command: "test" };
  assert.match(targets.nginx!.write(createExportRequest(detector, { operator: ["Acme"] }, options)), /cme/);
  assert.throws(() => createExportRequest(detector, { name: ["GPTBot"] }, options));
  const { unanchored, anchored } = detector.catalogue.deciding;
  const length = [unanchored, ...anchored].reduce((sum, text) => sum + fromBytesText(text).length, 0);
  assert.equal(exportAutomaton(detector.catalogue.deciding).length, length);
});

it("a verifier with a detector verifies its crawlers by what its catalogue says", async () => {
  const { verify } = createVerifier({ detector });
  assert.match((await verify(acme, { ip: "66.249.66.1" })).verification?.reason ?? "", /^within 66\.249\./);
  assert.equal((await verify(curl, { ip: "66.249.66.1" })).crawler, false);
  assert.throws(() => createVerifier({ detector: {} as never }), /`detector` must be a detector/);
});
