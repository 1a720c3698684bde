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
import type { NetworkKind } from "../../src/detect/verification.ts";
import { check, list } from "../../src/index.ts";
import { nearestWord } from "../../src/text/nearest-word.ts";
import { mark, testGolden } from "../support/golden.ts";
import { firefox } from "../support/user-agents.ts";

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

  it("is refused without a similar one, however long it is", () => {
    const wrong = { block: "ai".repeat(100_000) };
    assert.throws(() => parsePolicy(wrong, undefined), { message: /^(?!.*Did you mean)/ });
  });

  it("is refused with a similar one, up to three of a policy, because looking for one takes long", () => {
    const messages: string[] = [];
    const block = ["ai", ...["GPTBott", "bingbott", "seoo", "feedd", "Applebott"]];
    parseWith({ block }, selectable({}), (_, { message }) => void messages.push(message));
    assert.deepEqual(
      messages.map((message) => /Did you mean "(.*)"/.exec(message)?.[1]),
      ["GPTBot", "bingbot", "seo", undefined, undefined],
    );
  });

  it("is made of strings", () => {
    for (const words of [1, null, {}, [["ai"]], ["ai", 1], true, () => "ai"])
      for (const option of ["block", "allow"])
        assert.throws(() => parsePolicy({ block: "ai", [option]: words }, unverified), TypeError, String(words));
    for (const words of [[], [""], ["ai", ""]])
      for (const option of ["block", "allow"])
        assert.throws(() => parsePolicy({ block: "ai", [option]: words }, unverified), /has an empty word/);
  });
});

testGolden("detect/policies.txt", (input) => {
  const { "none of": missing = "", ...words } = Object.fromEntries(
    input.split("\n").map((line) => line.split(/: ?(.*)/).slice(0, 2)),
  );
  try {
    parseWith(words, selectable(missing === "" ? {} : { [missing]: "none is known here." }));
    return mark("|", "accepted");
  } catch (error) {
    // All words are shown once, where some are missing.
    return mark("!", missing === "" ? String(error).replace(/( A word is a category) .*/, "$1 ...") : String(error));
  }
});

/** A verdict with evidence: outcomes of verification, by a signature of an operator if one is named; and networks. */
function verdictOf(useragent: string, evidence: string): Verdict {
  const [word = "", operator] = evidence.split(" by ");
  const verdict = check(useragent === "Firefox" ? firefox : useragent);
  if (word === "") return verdict;
  if (["tor", "vpn", "relay", "cdn", "hosting"].includes(word))
    return { ...verdict, network: { kind: word as NetworkKind, provider: "", source: "", asOf: "2026-01-01" } };
  const status = word === "unproven" ? "unverifiable" : word;
  const agent = operator !== undefined && { agent: { url: "https://x.example/", ...(operator && { operator }) } };
  const verification = { status, method: "signature", reason: "", ...agent };
  return { ...verdict, verification: { ...verification, ...(word === "unproven" && { unproven: true }) } } as Verdict;
}

testGolden("detect/decisions.txt", (input) => {
  const [, block = "", allow, useragent = "", evidence = ""] =
    /^block (.*?)(?:, allow (.*))?\n(\S+?)(?:, (.*))?$/.exec(input) ?? assert.fail(input);
  const policy = parseWith({ block, ...(allow !== undefined && { allow }) }, selectable({}));
  return [refuses(policy, verdictOf(useragent, evidence)) ? "| refused" : "| passes"];
});

it("a word that is a category does not select a crawler that calls itself so", () => {
  const impostor = { ...check("Googlebot"), name: "SEO", category: "other" } as Verdict;
  const refusesBy = (block: string): boolean => refuses(parsePolicy({ block }, unverified), impostor);
  assert.deepEqual(["seo", "other", "name:seo"].map(refusesBy), [false, true, true]);
});

it("a policy without words refuses none", () => {
  assert.ok(verdicts.every((verdict) => !refuses(parsePolicy({}, unverified), verdict)));
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
          least <= (wrong.length < 2 ? 0 : Math.max(1, Math.floor(wrong.length / 3)))
            ? words[distances.indexOf(least)]
            : undefined;
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
