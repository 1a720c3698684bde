/** What check says of a crawler: the first item in the order of precedence, and the text that it matched. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import { toSelection } from "../../src/detect/policy/selection.ts";
import { createStrings } from "../support/random-strings.ts";
import { asWritten, referenceItems } from "../support/reference.ts";
import { readCorpora } from "../support/remembered.ts";
import { someOf } from "../support/some-strings.ts";
import { firefox } from "../support/user-agents.ts";

const items = referenceItems();
const corpora = someOf(
  [...new Set([...detector.strings(), ...readCorpora().flatMap(({ strings }) => strings)])],
  1_000,
);

/** The verdict on a crawler, checked against a loop over the items. */
function assertVerdict(text: string): void {
  const verdict = detector.check(text);
  if (!verdict.crawler) {
    assert.deepEqual(verdict, { useragent: text, crawler: false });
    return;
  }
  const hint = JSON.stringify(text);
  const first = items.find((item) => item.isIn(text));
  assert(first, `no item is in ${hint}`);
  assert.equal(verdict.pattern, first.pattern, hint);
  assert.equal(verdict.category, first.category, hint);
  if (first.name !== undefined) assert.equal(entryOf(verdict), first.name, hint);
  // A rule for what sends nothing has nothing to show.
  assert(verdict.match !== "" || !/[!-~]/.test(text), `an empty match of ${first.pattern} in ${hint}`);
  assert(text.includes(verdict.match), hint);
  // Alone the match has other neighbors: only a pattern without an end of the string must find itself in it.
  if (!/[$^]/.test(first.pattern)) assert.match(verdict.match, asWritten(first.pattern), hint);
  // What is bound to the start of the string stands there, whatever follows.
  if (/^\^[^|]*$/.test(first.pattern)) assert.equal(verdict.match, asWritten(first.pattern).exec(text)?.[0], hint);
}

describe("check", () => {
  it("takes its facts from the first item in the order of precedence, on the corpora", () => {
    for (const text of corpora) assertVerdict(text);
    // `$` also stands before characters that are not visible ASCII.
    for (const text of detector.strings().slice(0, 400))
      for (const end of ["é", " é", "\u00a0"]) assertVerdict(text + end);
  });

  it("does so on random strings", () => {
    const next = createStrings({ seed: 21, patterns: items.map(({ pattern }) => pattern), texts: corpora });
    for (let i = 0; i < 500; i++) assertVerdict(next());
  });

  it("finds the text that counted, not the one that an exception held back", () => {
    assert.equal(detector.check("Cubot and SomeBot/1.0").name, "SomeBot");
    assert.equal(detector.check("Cubot and SomeBot/1.0").match, "Bot");
    // Text that a pattern requires before the name is not part of the match.
    assert.equal(detector.check("Mozilla/5.0 (compatible; Googlebot/2.1)").match, "Googlebot");
    assert.equal(detector.check("x MediaWiki/1.43").match, "MediaWiki/");
  });

  it("names what a browser's string follows, and no platform", () => {
    const match = (useragent: string) => {
      const { name, match } = detector.check(useragent);
      return { name, match };
    };
    assert.deepEqual(match("rawler, Mozilla/5.0 (java)"), { name: "rawler", match: "rawler, Mozilla/" });
    assert.deepEqual(match("Mozilla/5.0 zgrub/0.x"), { name: "zgrub", match: "Mozilla/5.0 zgrub/0.x" });
    assert.equal(
      match("Mozilla/5.0 Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)").name,
      undefined,
    );
  });

  it("names the whole token, however long the string around it is", () => {
    for (const blanks of [0, 200, 255, 256, 257, 600]) {
      const around = "a ".repeat(300);
      const token = `Some-${"Crawler-".repeat(6)}bot-of-Mine`;
      const text = `${around}${" ".repeat(blanks)}${token}/1.0 ${around}`;
      assert.equal(detector.check(text).name, token, `${blanks}`);
    }
  });

  it("answers of bytes what it does of strings, wherever they lie", () => {
    for (const text of corpora) {
      const bytes = Buffer.from(`bot ${text} bot`);
      assert.equal(detector.isCrawlerBytes(bytes, 4, bytes.length - 4), detector.isCrawler(text), text);
    }
    const bytes = Buffer.from(`${firefox} FooBot`);
    assert(detector.isCrawlerBytes(bytes, -3, 999) && !detector.isCrawlerBytes(bytes, -3, firefox.length));
    for (const [from, to] of [[999], [9, 3]])
      assert(detector.isCrawlerBytes(bytes, from, to), "nothing is a crawler's");
  });

  it("reads a long string once, however it is made: reading the rest at each place would take longer than a test may", () => {
    for (const piece of ["a", "a.", "1.", "x@", "www.", "bot", "http://", "A/1 ", "-", " ", "compatible; "]) {
      const text = `${piece.repeat(600_000 / piece.length)} SomeBot`;
      assert(detector.check(text).crawler);
      assert(detector.check(`${text}/1.0 (+http://${text}`).crawler);
    }
  });

  it("takes a missing header for the empty string, which no browser sends", () => {
    const facts = { crawler: true, category: "other", pattern: "^-?$" };
    for (const missing of [undefined, null, ""]) {
      assert.deepEqual(detector.check(missing), { useragent: "", ...facts, match: "" });
      assert.equal(detector.isCrawler(missing), true);
    }
    for (const missing of [undefined, null, new Uint8Array()]) assert.equal(detector.isCrawlerBytes(missing), true);
    for (const useragent of ["-", "- ", " ", "\t\v\f", "\r\n"]) {
      assert.deepEqual(detector.check(useragent), { useragent, ...facts, match: useragent });
      assert(toSelection(new Set(["missing"]))(detector.check(useragent)));
    }
    for (const text of ["\u00e4", "\u65e5\u672c", "\u00a0", "-\u00a0", " \u00e4", "\0"])
      assert.deepEqual(detector.check(text), { useragent: text, crawler: false });
  });

  it("says what it needs of what is no string", () => {
    for (const wrong of [5, {}, ["bot"], true, Symbol("bot")] as unknown as string[])
      assert.throws(() => detector.isCrawler(wrong), /A user agent must be a string, null or undefined/);
  });

  it("never throws", () => {
    for (const text of ["", "\0", "\ud83e", "bot", "\u00e9bot", "(bot", "^", "bot$", "//bot//", "https://bot"]) {
      assert.equal(typeof detector.check(text).crawler, "boolean");
    }
  });
});
