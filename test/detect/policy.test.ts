/** Policies: every word selects some crawler, or is refused with the right one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { items } from "../../src/detect/built-in/items.ts";
import { categories, purposes } from "../../src/detect/categories.ts";
import { type Policy, type PolicyWords, parsePolicy as parseWith } from "../../src/detect/policy/policy.ts";
import { toWord } from "../../src/detect/policy/selection.ts";
import type { MissingEvidence } from "../../src/detect/policy/words.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { NetworkKind, VerificationWord } from "../../src/detect/verification.ts";
import { check, list } from "../../src/index.ts";
import { nearestWord } from "../../src/text/nearest-word.ts";

const refuses = (policy: Policy, verdict: Verdict): boolean => policy(["/"], () => verdict);
const verdicts = list().map((text) => check(text));
const unverified = "nothing is verified here.";
const selectable = (missing: MissingEvidence) => ({ crawlers: items(), missing, robots: "no robots.txt here." });
const parsePolicy = (words: unknown, why: string | undefined): Policy =>
  parseWith(words as PolicyWords, selectable({ verification: why }));

describe("a word of a policy", () => {
  const facts = items();
  const words = [
    ...categories,
    ...categories.flatMap((category) => purposes.map((purpose) => `${category}:${purpose}`)),
    ...new Set(facts.flatMap(({ name = "" }) => (name === "" ? [] : [name]))),
    ...new Set(facts.flatMap(({ operator = "" }) => (operator === "" ? [] : [`operator:${operator}`]))),
  ];

  it("selects what has it, or is refused if nothing does", () => {
    let refused = 0;
    for (const word of words) {
      const [head = "", ...rest] = word.split(":");
      const tail = rest.join(":");
      const isSelected = facts.some(({ name, operator, category, purposes }) =>
        head === "operator"
          ? operator === tail
          : name === word || category === word || (category === head && purposes?.some((purpose) => purpose === tail)),
      );
      if (isSelected) parsePolicy({ block: toWord(word.toUpperCase()) }, unverified);
      else {
        assert.throws(() => parsePolicy({ block: toWord(word) }, unverified), { name: "SelectionError" }, word);
        refused++;
      }
    }
    assert.ok(refused > 20 && refused < 39, `${refused}`);
  });

  it("with an operator selects browsers' user agents whose request its agent has signed", () => {
    const by = (status: "verified" | "unverifiable", operator?: string): Verdict => ({
      useragent: "Mozilla/5.0",
      crawler: false,
      verification: {
        ...{ status, method: "signature", reason: "x" },
        agent: { url: "https://x.example/", ...(operator !== undefined && { operator }) },
      },
    });
    const policy = parsePolicy({ block: "operator:openai" }, undefined);
    const person: Verdict = { useragent: "Mozilla/5.0", crawler: false };
    for (const [verdict, isRefused] of [
      [by("verified", "OpenAI"), true],
      [by("verified", "Google"), false],
      [by("verified"), false],
      [by("unverifiable", "OpenAI"), false],
      [person, false],
    ] as const)
      assert.equal(refuses(policy, verdict), isRefused, JSON.stringify(verdict));
    assert.equal(
      refuses(parsePolicy({ block: "all", allow: "operator:Google" }, undefined), by("verified", "OpenAI")),
      false,
    );
    const allowing = parsePolicy({ block: "verified", allow: "operator:OpenAI" }, undefined);
    assert.deepEqual(
      [refuses(allowing, by("verified", "OpenAI")), refuses(allowing, by("verified", "Google"))],
      [false, true],
    );
  });

  it("selects the verdicts that say so, derived operators included", () => {
    const derived = verdicts.find((verdict) => verdict.operatorDerived)!;
    for (const [word, isChosen] of [
      [`operator:${derived.operator}`, ({ operator }: Verdict) => operator === derived.operator],
      [
        "ai:training",
        ({ category, purposes }: Verdict) => category === "ai" && purposes?.includes("training") === true,
      ],
      ["*:Training", ({ purposes }: Verdict) => purposes?.includes("training") === true],
      ["Googlebot", ({ name }: Verdict) => name === "Googlebot"],
      ["all", ({ crawler }: Verdict) => crawler],
    ] as const) {
      const policy = parsePolicy({ block: word }, unverified);
      const chosen = verdicts.filter((verdict) => refuses(policy, verdict));
      assert.deepEqual(chosen, verdicts.filter(isChosen), word);
      assert.ok(chosen.length > 0);
    }
  });

  it("in `allow` selects by a purpose only crawlers that have no other", () => {
    const policy = parsePolicy({ block: "ai", allow: ["ai:search", "*:agent"] }, unverified);
    const ofAi = verdicts.filter(({ category }) => category === "ai");
    const passed = ofAi.filter((verdict) => !refuses(policy, verdict));
    const isOnlyFor = ({ purposes }: Verdict) => purposes?.every((purpose) => purpose !== "training") ?? false;
    assert.deepEqual(passed, ofAi.filter(isOnlyFor));
    for (const purposes of ["search", "search,agent", "training,search"])
      assert.ok(ofAi.some((verdict) => verdict.purposes?.join() === purposes));
    const named = parsePolicy({ block: "ai", allow: ["ai:search", "meta-externalagent"] }, unverified);
    assert.equal(refuses(named, check("meta-externalagent/1.1")), false);
  });

  it("in `allow` is no exception from `spoofed` and `unproven`", () => {
    const verdict = (status: string): Verdict =>
      ({
        ...check("Googlebot/2.1"),
        verification: { status, ...(status === "unverifiable" && { unproven: true }) },
      }) as unknown as Verdict;
    for (const block of ["spoofed", "ai,spoofed", "all,spoofed,unproven"])
      for (const allow of ["Googlebot", "all", "search-engine", "operator:Google"]) {
        const policy = parseWith({ block, allow }, selectable({}));
        assert.deepEqual(
          ["verified", "spoofed"].map((status) => refuses(policy, verdict(status))),
          [false, true],
        );
      }
    for (const [block, isRefused] of [
      ["unverifiable", false],
      ["unproven", true],
    ] as const)
      assert.equal(
        refuses(parseWith({ block, allow: "Googlebot" }, selectable({})), verdict("unverifiable")),
        isRefused,
      );
  });

  it("does not select programs by their makers", () => {
    const policy = parsePolicy({ block: "operator:Google" }, unverified);
    assert.equal(
      verdicts.filter(({ maker }) => maker === "Google").some((verdict) => refuses(policy, verdict)),
      false,
    );
  });

  it("is refused with a similar one", () => {
    for (const [wrong, right] of [
      ["serch-engine", "search-engine"],
      ["ai:trainig", "ai:training"],
      ["*:trainig", "ai:training"],
      ["GPTbto", "GPTBot"],
      ["opeNAI", "operator:OpenAI"],
      ["operator:National Diet Library\\, Jpan", "operator:National Diet Library\\\\, Japan"],
      ["Operator:Gogle", "operator:Google"],
      ["agent", "ai:agent"],
      ["spofed", "spoofed"],
      ["*", "all"],
      ["bot", "all"],
      ["search", "search-engine"],
    ] as const)
      assert.throws(
        () => parsePolicy({ block: ["seo", wrong] }, undefined),
        ({ name, message }) => name === "SelectionError" && message.includes(`Did you mean "${right}"?`),
        wrong,
      );
  });

  it("that only robots.txt knows is refused, because no request carries it", () => {
    for (const word of ["google-extended", "Applebot-Extended", "name:Google-Extended", "NAME: applebot-extended"])
      for (const option of ["block", "allow"])
        assert.throws(() => parsePolicy({ block: "ai", [option]: word }, unverified), /is a name for robots\.txt/);
  });

  it("that is a crawler's name and an operator's is suggested as the name", () => {
    const both = items().find(
      ({ name }) => name && /^\w{6,}$/.test(name) && items().some((other) => other.operator === name),
    )!;
    assert.throws(
      () => parsePolicy({ block: `${both.name}x` }, unverified),
      new RegExp(`Did you mean "${both.name}"\\?`),
    );
  });

  it("with any name behind `name:` selects it", () => {
    const policy = parsePolicy({ block: "Name: SomeOwnBot" }, unverified);
    assert.deepEqual(
      ["SomeOwnBot/1.0", "SomeOtherBot/1.0"].map((text) => refuses(policy, check(text))),
      [true, false],
    );
  });

  it("that is a category does not select a crawler that calls itself so", () => {
    const impostor = { ...check("Googlebot"), name: "SEO", category: "other" } as Verdict;
    const refusesBy = (block: string): boolean => refuses(parsePolicy({ block }, unverified), impostor);
    assert.deepEqual(["seo", "other", "name:seo"].map(refusesBy), [false, true, true]);
  });

  it("is refused without one if none is similar, however long it is", () => {
    for (const wrong of ["qqqqqqqqqq", "ai".repeat(100_000), "operator:qqqqqqqqqq"])
      assert.throws(() => parsePolicy({ block: wrong }, undefined), { message: /^(?!.*Did you mean)/ });
  });
});

describe("a word about the client's network", () => {
  const network = (kind: NetworkKind) => ({ kind, provider: "x", source: "https://x.example/", asOf: "2026-01-01" });
  const parse = (words: PolicyWords, missing = {}) => parseWith(words, selectable(missing));

  it("selects people and crawlers in it, and gives way to `allow`", () => {
    const people = check("Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0");
    const rows = [
      [{ block: "network:tor" }, { ...people, network: network("tor") }, true],
      [{ block: "Network: TOR" }, { ...people, network: network("tor") }, true],
      [{ block: "network:tor" }, { ...people, network: network("vpn") }, false],
      [{ block: ["seo", "network:tor,network:vpn"] }, { ...people, network: network("vpn") }, true],
      [{ block: "all" }, { ...people, network: network("tor") }, false],
      [{ block: "network:tor" }, people, false],
      [{ block: "network:hosting" }, { ...check("GPTBot"), network: network("hosting") }, true],
      [{ block: "network:hosting", allow: "GPTBot" }, { ...check("GPTBot"), network: network("hosting") }, false],
      [{ block: "all", allow: "network:relay" }, { ...check("GPTBot"), network: network("relay") }, false],
      [{ block: "all", allow: "network:relay" }, check("GPTBot"), true],
    ] as const;
    for (const [words, verdict, isRefused] of rows)
      assert.equal(refuses(parse(words), verdict as Verdict), isRefused, JSON.stringify([words, verdict]));
  });

  it("is refused if it is none, or if no network is known", () => {
    const rows: readonly (readonly [PolicyWords, RegExp])[] = [
      [{ block: "network:hostng" }, /"network:hostng"\. Did you mean "network:hosting"\?/],
      [{ block: "hosting" }, /"hosting" selects no crawler of the catalogue\. Did you mean "network:hosting"\?/],
      [{ block: "no-sec-fetsh" }, /Did you mean "signal:no-sec-fetch"\?/],
      [{ block: "network:cloudy" }, /There are network:tor, network:vpn, network:relay, network:hosting\.$/],
      [{ block: "network:" }, /unknown word "network:"/],
      [{ block: "ai", allow: "network:x" }, /`allow` has the unknown word/],
      [{ block: "networks:tor" }, /Did you mean "network:tor"\?/],
    ];
    for (const [words, message] of rows) assert.throws(() => parse(words), message, JSON.stringify(words));
    const missing = { network: "no network is known here." };
    assert.throws(
      () => parse({ block: "network:tor" }, missing),
      /cannot name "network:tor": no network is known here\.$/,
    );
  });
});

describe("a policy", () => {
  it("is refused where it is not made of words", () => {
    for (const words of [1, null, {}, [["ai"]], ["ai", 1], true, () => "ai"])
      for (const option of ["block", "allow"])
        assert.throws(() => parsePolicy({ block: "ai", [option]: words }, unverified), TypeError, String(words));
    for (const words of ["", " ", ",", "ai,", [], [""], ["ai", ""]])
      for (const option of ["block", "allow"])
        assert.throws(() => parsePolicy({ block: "ai", [option]: words }, unverified), /has an empty word/);
    assert.throws(() => parsePolicy({ allow: "ai" }, unverified), /`allow` makes exceptions from `block`/);
  });

  it("is refused if its exceptions leave no crawler to refuse", () => {
    const isRefused = (words: PolicyWords) =>
      assert.throws(() => parsePolicy(words, undefined), /none would be refused/);
    isRefused({ block: "ai", allow: "all" });
    isRefused({ block: "ai:training,GPTBot", allow: "ai" });
    for (const block of ["ai,spoofed", "ai,name:OurOwnBot", "ai,Googlebot"])
      parsePolicy({ block, allow: "ai" }, undefined);
    parsePolicy({ block: "ai", allow: "seo" }, undefined);
  });

  it("names outcomes of verification only where crawlers are verified", () => {
    const words: readonly VerificationWord[] = ["verified", "spoofed", "unverifiable", "unproven"];
    const verification = { method: "none", reason: "" } as const;
    assert.throws(() => parsePolicy({ block: "spofed" }, unverified), { message: /^(?!.*spoofed)/ });
    for (const word of words) {
      for (const option of ["block", "allow"])
        assert.throws(() => parsePolicy({ block: "ai", [option]: word.toUpperCase() }, unverified), {
          message: `\`${option}\` cannot name "${word}": ${unverified}`,
        });
      const policy = parsePolicy({ block: word }, undefined);
      for (const status of ["verified", "spoofed", "unverifiable"] as const)
        for (const unproven of [{}, { unproven: true }] as const) {
          const verdict: Verdict = {
            ...check("Googlebot"),
            verification: { ...verification, status, ...unproven },
          } as Verdict;
          assert.equal(refuses(policy, verdict), word === status || (word === "unproven" && "unproven" in unproven));
        }
      assert.equal(refuses(policy, check("Googlebot")), false);
    }
  });

  it("selects people by a signature that verifies them, and not by one that does not", () => {
    const people = check("Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0");
    for (const status of ["verified", "spoofed", "unverifiable"] as const) {
      const verification = { status, method: "signature", reason: "", unproven: true };
      const verdict = { ...people, verification } as unknown as Verdict;
      assert.equal(refuses(parsePolicy({ block: "spoofed,unverifiable,unproven" }, undefined), verdict), false);
      assert.equal(refuses(parsePolicy({ block: "verified" }, undefined), verdict), status === "verified");
    }
  });

  it("without words refuses none", () => {
    assert.ok(verdicts.every((verdict) => !refuses(parsePolicy({}, unverified), verdict)));
  });
});

describe("nearestWord", () => {
  /** As defined, without bounds or early ends. */
  function distance(left: string, right: string): number {
    if (left === "" || right === "") return left.length + right.length;
    const swap = left[0] === right[1] && left[1] === right[0] && left.length > 1 && right.length > 1;
    return Math.min(
      distance(left.slice(1), right) + 1,
      distance(left, right.slice(1)) + 1,
      distance(left.slice(1), right.slice(1)) + (left[0] === right[0] ? 0 : 1),
      ...(swap ? [distance(left.slice(2), right.slice(2)) + 1] : []),
    );
  }

  it("is the first of those with the fewest differences, of which there is at most a third", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (wrong, words) => {
        const distances = words.map((other) => distance(wrong, other));
        const least = Math.min(...distances);
        const expected =
          least <= Math.max(1, Math.floor(wrong.length / 3)) ? words[distances.indexOf(least)] : undefined;
        assert.equal(nearestWord(wrong.toUpperCase(), words), expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the purposes of a verdict", () => {
  it("are its own: changing them changes no other verdict and no policy", () => {
    const text = list().find((text) => check(text).purposes?.includes("training"))!;
    const before = JSON.stringify(check(text));
    for (const verdict of [check(text), check(text, { explain: true }), detector.check(text)])
      (verdict.purposes as unknown as string[]).length = 0;
    assert.equal(JSON.stringify(check(text)), before);
    assert.ok(refuses(parsePolicy({ block: `${check(text).category}:training` }, unverified), check(text)));
  });
});
