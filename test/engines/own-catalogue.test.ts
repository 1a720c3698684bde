/** The expression of an own catalogue gives its verdicts in real engines. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { app, browser, modifiedDetector } from "../support/modified-detector.ts";
import type { Engine } from "./engine.ts";
import { engines } from "./engines.ts";
import { stopPostgres } from "./postgres.ts";

after(stopPostgres);

const { own } = await modifiedDetector();
const few = [
  "AcmeMonitor/1",
  `${browser} acmemonitor/2`,
  "(Gamma v1",
  "; gammabot v1.2 ",
  "Gamma v1",
  app,
  `${app} bot`,
  "curl/8.5.0",
  "Foo",
  "AcmeWget/1",
  browser,
  `${browser}b`,
];
const strings = [...few, ...detector.strings().filter((_, index) => index % 20 === 0), ...own.strings().slice(0, 5)];

// The test of the built-in expression says which engines have to be installed.
const installed: Engine[] = [];
for (const engine of engines) if ((await engine.version()) !== undefined) installed.push(engine);

describe("the expression of an own catalogue", () => {
  const tested: string[] = [];
  for (const { name, flavor = "portable", accepts = () => true, match } of installed) {
    if (flavor === "compact") continue;
    it(`gives its verdicts in ${name}`, async () => {
      const accepted = strings.filter(accepts);
      const answers = await match(toExpressions(own.catalogue)[flavor]!, accepted);
      assert.deepEqual(
        accepted.filter((text, i) => answers[i] !== own.isCrawler(text)),
        [],
      );
      tested.push(name);
    });
  }

  it("was tried in at least five", () => assert(tested.length >= 5, tested.join()));
});
