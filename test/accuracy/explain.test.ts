/**
 * An explanation and the verdict cannot disagree: on strings of the corpora (all with STRINGS=all), and on pieces of them put together at
 * random.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, isCrawler } from "../../src/index.ts";
import { readCorpora } from "../support/remembered.ts";
import { howMany, someOf } from "../support/some-strings.ts";

const strings = someOf([...new Set(readCorpora().flatMap((corpus) => corpus.strings))], 1_000);

function assertAgreement(useragent: string): void {
  const { explanation, ...verdict } = check(useragent, { explain: true });
  assert.deepEqual(verdict, check(useragent));
  const decided = explanation.some((match) => match.decides);
  assert.equal(decided, isCrawler(useragent), useragent);
  const first = explanation.find(({ heldBackBy }) => heldBackBy === undefined);
  if (decided) assert.equal(first?.pattern, verdict.pattern, useragent);
  for (const { start, end, text, decides, heldBackBy, namesOnly } of explanation) {
    assert.equal(useragent.slice(start, end), text);
    assert.equal(decides, heldBackBy === undefined && namesOnly === undefined);
    for (const exception of heldBackBy ?? []) assert.ok(exception.start <= start && end <= exception.end);
  }
}

test("a string is a crawler's exactly where something in its explanation decides", () => {
  for (const useragent of strings) assertAgreement(useragent);
});

test("the same for two halves of known strings", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let i = 0; i < howMany(300, 1_000); i++) {
    const [left, right] = [strings[random(strings.length)]!, strings[random(strings.length)]!];
    assertAgreement(left.slice(0, random(left.length + 1)) + right.slice(random(right.length + 1)));
  }
});
