/** The limits of policies: which word gives a crawler its rate, what is counted together, and which words are refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { type LimitBy, parseLimits, splitLimits } from "../../src/detect/policy/limits.ts";
import type { VerificationStatus } from "../../src/detect/verification.ts";
import { mark, testGolden } from "../support/golden.ts";
import { firefox, googlebot } from "../support/user-agents.ts";

const crawlers = detector.catalogue.items;
const read = (list: string, by: LimitBy = "name") => parseLimits(splitLimits(list), by, crawlers);

const gptbot = "GPTBot/1.2";
const searchbot = "OAI-SearchBot/1.0";
const claude = "ClaudeBot/1.0";

describe("the most specific word", () => {
  for (const [list, useragent, expected] of [
    ["all:1/s,ai:2/s,*:training:3/s,ai:training:4/s,operator:OpenAI:5/s,GPTBot:6/s", gptbot, 6],
    ["GPTBot:6/s,operator:OpenAI:5/s,ai:training:4/s,*:training:3/s,ai:2/s,all:1/s", gptbot, 6],
    ["all:1/s,operator:OpenAI:5/s,ai:training:4/s", gptbot, 5],
    ["all:1/s,ai:2/s,*:training:3/s,ai:training:4/s", gptbot, 4],
    ["all:1/s,ai:2/s,*:training:3/s", gptbot, 3],
    ["all:1/s,ai:2/s", gptbot, 2],
    ["all:1/s,ai:2/s", googlebot, 1],
    ["ai:2/s,GPTBot:6/s", googlebot, undefined],
    ["name:gptbot:7/s, ALL : 1/s", gptbot, 7],
    ["all:1/s", firefox, undefined],
    ["name:FooBot:9/s", "FooBot/2", 9],
    ["missing:8/s,all:1/s,other:2/s", "", 8],
    ["missing:8/s,all:1/s,other:2/s", "x-Bot", 2],
    ["operator:National Diet Library\\, Japan:9/s,all:1/s", "ndl-japan-warp/1.0", 9],
  ] as const)
    it(`of ${list} gives ${useragent} ${expected}`, () =>
      assert.equal(read(list)(detector.check(useragent))?.rate.count, expected));

  it("is the most specific one also far behind others, in the longest list", () => {
    const names = Array.from({ length: 998 }, (_, i) => `name:x${i}:1/s`);
    const countOf = read(`operator:OpenAI:5/s,${names.join()},GPTBot:6/s`);
    assert.equal(countOf(detector.check(gptbot))?.rate.count, 6);
  });

  it("is the first of several of a kind", () => {
    const both = detector.strings().find((text) => {
      const { category, purposes = [] } = detector.check(text);
      return category === "ai" && purposes.includes("search") && purposes.includes("training");
    });
    const verdict = detector.check(both);
    assert.equal(read("ai:search:1/s,ai:training:2/s")(verdict)?.rate.count, 1);
    assert.equal(read("ai:training:2/s,ai:search:1/s")(verdict)?.rate.count, 2);
  });
});

describe("counts", () => {
  const keyOf = (list: string, useragent: string, by?: LimitBy, status?: VerificationStatus): string | undefined => {
    const verification = status && { verification: { status, method: "dns", reason: "" } as const };
    return read(list, by)({ ...detector.check(useragent), ...verification })?.key;
  };

  it("are one for each crawler, in any spelling of its string", () => {
    assert.equal(keyOf("ai:1/s", gptbot), keyOf("ai:1/s", `Mozilla/5.0 (compatible; ${gptbot})`));
    assert.notEqual(keyOf("ai:1/s", gptbot), keyOf("ai:1/s", claude));
    assert.notEqual(keyOf("ai:1/s", gptbot), keyOf("ai:2/s", gptbot));
  });

  it("are one for each operator with limit-by=operator; crawlers without an operator keep their own", () => {
    assert.equal(keyOf("ai:1/s", gptbot, "operator"), keyOf("ai:1/s", searchbot, "operator"));
    assert.notEqual(keyOf("ai:1/s", gptbot, "operator"), keyOf("ai:1/s", claude, "operator"));
    assert.notEqual(keyOf("all:1/s", "curl/8.0", "operator"), keyOf("all:1/s", "Wget/1.2", "operator"));
  });

  it("are separate for each outcome of verification", () => {
    const keys = [undefined, "verified", "spoofed", "unverifiable"].map((status) =>
      keyOf("ai:1/s", gptbot, "operator", status as VerificationStatus),
    );
    assert.equal(new Set(keys).size, 4);
  });

  it("are one for all spellings of the word and of the crawler's name", () => {
    for (const [limits, by, ...userAgents] of [
      [["all:1/h"], "name", "Googlebot/2.1", "googlebot/2.1", "GOOGLEBOT/2.1", "gOoGlEbOt/2.1"],
      [["all:1/h,Googlebot:1/h", "googlebot:1/h", "name:  GoogleBot : 1/h"], "name", "Googlebot/2.1", "googlebot/2.1"],
      [["operator:OpenAI:1/h", "Operator:  openai:1/h"], "operator", gptbot, searchbot],
      [["operator:OpenAI:1/h", "OPERATOR:OPENAI:1/h"], "name", gptbot, gptbot.toLowerCase()],
    ] as const) {
      const keys = limits.flatMap((list) => userAgents.map((userAgent) => keyOf(list, userAgent, by)));
      assert.equal(new Set(keys).size, 1, keys.join("; "));
      assert.ok(keys[0] !== undefined);
    }
  });

  it("have a bounded length, whatever clients send", () => {
    const blanks = " ".repeat(15_000);
    const long = "x".repeat(15_000);
    for (const list of [
      `operator:${blanks}OpenAI:1/h`,
      `${blanks}all${blanks}:${blanks}1/h`,
      `name:${long.slice(200)}:1/h,all:1/h`,
    ])
      for (const userAgent of [gptbot, `${long}Bot/1.0`, `${long.slice(200)}/1.0 Bot`])
        for (const by of ["name", "operator"] as const) {
          const countOf = parseLimits(splitLimits(list), by, crawlers, () => {});
          assert.ok((countOf(detector.check(userAgent))?.key.length ?? 0) < 1000);
        }
    assert.throws(() => read(`name:${long}:1/h`), { message: /^"name:x{54}…" is longer than 200 characters\.$/ });
  });

  it("are few, whatever names clients make up, but for names of the policy", () => {
    const countOf = read("all:1/s");
    const toKey = (_: unknown, i: number) => countOf(detector.check(`Foo${i.toString(36)}Bot/1.0`))?.key;
    const keys = Array.from({ length: 10_000 }, toKey);
    assert.ok(new Set(keys).size < 10, `${new Set(keys).size}`);
    assert.notEqual(keyOf("all:1/s", "FooBot/1"), keyOf("all:1/s,name:FooBot:1/s", "FooBot/1"));
  });
});

testGolden("detect/limits.txt", (list) => {
  try {
    read(list.replace("(empty)", ""));
    return mark("|", "accepted");
  } catch (error) {
    return mark("!", String(error));
  }
});

it("a list of more than 1,000 words is refused, a million names at once", () => {
  assert.throws(() => read(Array(1001).fill("ai:1/m").join()), {
    name: "SelectionError",
    message: /more than 1000 words/,
  });
  const list = Array.from({ length: 1_000_000 }, (_, i) => `name:x${i}:1/m`).join();
  assert.throws(() => read(list), /more than 1000 words/);
  assert.throws(() => parseLimits(Array(1_000_000).fill(["ai", "1/m"]), "name", crawlers), /more than 1000 words/);
});
