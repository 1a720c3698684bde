/** The expression of an own catalogue gives its verdicts in real engines. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { ownDetector } from "../compiler/own/own-detector.ts";
import type { Engine } from "./engine.ts";
import { engines } from "./engines.ts";
import { stopPostgres } from "./postgres.ts";

after(stopPostgres);

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
const app = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ZetaBot/3.2";
const { own } = ownDetector(`
crawlers:
  - { name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, examples: ["${browser} AcmeMonitor/2.1"] }
  - { name: Gamma, pattern: "[(;] ?Gamma(?:Bot|Feed)? v[0-9.]{1,9}$", category: feed, examples: ["${browser} (GammaFeed v1.0"] }
change: [{ name: GPTBot, category: seo }]
remove: [curl]
people: [{ words: [ZetaBot], examples: ["${app}"], why: our app }]
rules: { off: [bare name] }
`);
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
  browser,
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
