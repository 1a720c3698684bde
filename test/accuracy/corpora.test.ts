/** What counts as people: no string of the generator behind two thirds of user-agents, and every string of real phones. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isGenerated } from "../../bench/accuracy/corpora.ts";
import { packageFolder } from "../../bench/installed-package.ts";
import { isCrawler } from "../../src/index.ts";
import { readCorpora } from "../support/remembered.ts";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const pixel = "Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012";
const iphone = "iPhone; CPU iPhone OS 11_0 like Mac OS X";

describe("strings of the generator", () => {
  for (const [useragent, expected] of [
    [`Mozilla/5.0 (${pixel}) ${webKit} Chrome/40.0.3665.1324 Mobile Safari/537.36`, true],
    [`Mozilla/5.0 (${iphone}) ${webKit} Chrome/60.0.1567.1276 Mobile Safari/537.36`, true],
    [`Mozilla/5.0 (${pixel}) ${webKit} Chrome/60.0.3112.107 Mobile Safari/537.36`, false],
    [`Mozilla/5.0 (${pixel}) ${webKit} Chrome/61.0.3163.1000 Mobile Safari/537.36`, false],
    [
      `Mozilla/5.0 (Linux; Android 6.0; Nexus 5 Build/MRA58K) ${webKit} Chrome/58.0.3029.1000 Mobile Safari/537.36`,
      false,
    ],
    ["Mozilla/5.0 (Linux; Android 6.0; Nexus 5 Build/MRA58N) AppleWebKit/537.36 Chrome/58.0.3029.83", false],
  ] as const)
    it(useragent, () => {
      assert.equal(isGenerated(useragent), expected);
      assert.equal(isCrawler(useragent), false);
    });

  it("are most of the newest release of user-agents, and none of the people of the measurement", () => {
    const profiles = JSON.parse(readFileSync(`${packageFolder("user-agents")}dist/user-agents.json`, "utf8")) as {
      userAgent: string;
    }[];
    const distinct = [...new Set(profiles.map(({ userAgent }) => userAgent))];
    const made = distinct.filter(isGenerated);
    assert.ok(made.length > distinct.length / 2, `${made.length} of ${distinct.length}`);
    assert.deepEqual(made.filter(isCrawler), []);
    const people = readCorpora().filter(({ wanted }) => wanted === "person");
    assert.deepEqual(
      people.flatMap(({ strings }) => strings.filter(isGenerated)),
      [],
    );
  });
});
