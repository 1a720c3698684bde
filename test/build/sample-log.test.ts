/** The sample log: the same on each run, readable as what it claims to be, of a mix of clients. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toSampleLog } from "../../build/sample-log.ts";
import { isCrawler } from "../../src/index.ts";

const combined = /^(\S+) - - \[(\S+) \+0000\] "GET (\S+) HTTP\/1\.1" (\d{3}) \d+ "([^"]+)" "([^"]+)"$/;
/** RFC 5737 and RFC 3849. */
const documentation = /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$|^2001:db8:/;

describe("the sample log", () => {
  const lines = toSampleLog(5000).trimEnd().split("\n");
  const requests = lines.map((line) => combined.exec(line)?.slice(1) ?? []);

  it("is the same each time", () => assert.equal(toSampleLog(5000), `${lines.join("\n")}\n`));

  it("has the lines that were asked for, in the order of time, from addresses that no one has", () => {
    assert.equal(lines.length, 5000);
    for (const [at, [address = "", time = ""]] of requests.entries()) {
      assert.match(address, documentation, lines[at]);
      assert.ok(at === 0 || time.slice(0, 2) >= requests[at - 1]![1]!.slice(0, 2), lines[at]);
    }
    for (const count of [0, -1, 1.5, Number.NaN]) assert.throws(() => toSampleLog(count), RangeError);
  });

  it("has between a quarter and a half of crawlers, and people with assets and referrers", () => {
    const people = requests.filter(([, , , , , useragent]) => !isCrawler(useragent));
    assert.ok(people.length > 2500 && people.length < 3750, `${people.length}`);
    assert.ok(people.some(([, , path]) => path!.startsWith("/assets/")));
    assert.ok(people.some(([, , , , referrer]) => referrer!.includes("chatgpt.com")));
    assert.ok(new Set(requests.map(([, , , status]) => status)).size > 3);
  });
});
