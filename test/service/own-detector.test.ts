/** A service and exports made with a detector know its catalogue and no other. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector as builtIn } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { exportAutomaton } from "../../src/export/targets/automaton.ts";
import { targets } from "../../src/export/targets.ts";
import { createService } from "../../src/service.ts";
import { createVerifier } from "../../src/verify.ts";
import { acme, browser, createOwnDetector } from "../support/own-detector.ts";
import { check, get } from "./ask.ts";

/** A crawler of the package's catalogue that this one does not know. */
const curl = "curl/8.5.0";
const detector = createOwnDetector();
const service = createService({ detector });
const text = async (path: string, headers?: Readonly<Record<string, string>>): Promise<string> =>
  (await get(service, path, headers)).text();

describe("a service with a detector", () => {
  it("gives its verdicts, in Check and in /auth", async () => {
    const verdicts = [acme, curl, browser].map(async (useragent) => {
      const { crawler, name } = (await (await check(service, useragent)).json()) as { crawler: boolean; name?: string };
      return [crawler, name];
    });
    assert.deepEqual(await Promise.all(verdicts), [
      [true, "Acme Monitor"],
      [false, undefined],
      [false, undefined],
    ]);
    const statusOf = async (query: string, useragent: string): Promise<number> =>
      (await get(service, `/auth?block=${query}`, { "user-agent": useragent })).status;
    assert.deepEqual(
      [await statusOf("operator:Acme", acme), await statusOf("operator:Acme", curl), await statusOf("curl", acme)],
      [403, 204, 429],
    );
  });

  it("lists its strings, and returns its expression in every flavor", async () => {
    assert.equal(await text("/RestService/List/json").then((list) => JSON.parse(list).version), detector.version);
    assert.match(await text("/RestService/List/json"), /AcmeMonitor\/2\.1.*FooBot/s);
    assert.equal(await text("/RestService/RegExp"), detector.expression);
    for (const [flavor, spelling] of Object.entries(detector.catalogue.spellings))
      assert.equal(await text(`/RestService/RegExp?flavor=${flavor}`), spelling);
  });

  it("shows its crawlers, with snippets and explanations", async () => {
    const all = await text("/crawlers");
    assert.match(all, /Acme Monitor/);
    assert.doesNotMatch(all, /curl/);
    const page = await text("/crawlers/acme-monitor");
    assert.match(page, /AcmeMonitor/);
    assert.match(page, /User-agent: AcmeMonitor|map \$http_user_agent \$is_acme_monitor/);
    assert.match(await text(`/?useragent=${encodeURIComponent(acme)}`), /AcmeMonitor\/<\/mark>/);
    assert.equal((await get(service, "/crawlers/curl")).status, 404);
    // The page's module would decide with the catalogue of the package.
    const files = { addresses: { "try.js": "/try-x.js" }, read: () => undefined };
    const scripts = [detector, builtIn].map(async (detector) =>
      /try-x\.js/.test(await (await get(createService({ detector, files }), "/")).text()),
    );
    assert.deepEqual(await Promise.all(scripts), [false, true]);
    assert.ok((await text("/expression")).includes(`<p>${detector.expression.length} characters`));
  });
});

describe("exports of a detector", () => {
  it("select from its crawlers", () => {
    const request = createExportRequest(detector, { operator: ["Acme"] }, { variable: "is_own", command: "test" });
    assert.match(targets.nginx!.write(request), /cme/);
    assert.throws(() => createExportRequest(detector, { name: ["GPTBot"] }, { variable: "is_own", command: "test" }));
  });

  it("have its automata", () => {
    const { unanchored, anchored } = detector.catalogue.deciding;
    const length = [unanchored, ...anchored].reduce((sum, { length }) => sum + length, 0);
    assert.equal(exportAutomaton(detector.catalogue.deciding).length, length);
  });
});

describe("a verifier with a detector", () => {
  it("verifies its crawlers by what its catalogue says", async () => {
    const { verify } = createVerifier({ detector });
    assert.match((await verify(acme, { ip: "66.249.66.1" })).verification?.reason ?? "", /^within 66\.249\./);
    assert.equal((await verify(curl, { ip: "66.249.66.1" })).crawler, false);
    assert.throws(() => createVerifier({ detector: {} as never }), /`detector` must be a detector/);
  });
});
