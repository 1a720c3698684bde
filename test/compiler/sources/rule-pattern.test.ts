/** A rule finds what it looks for at its place and in its shapes, and nowhere else. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { placeNames, rulePattern } from "../../../src/compiler/sources/rule-pattern.ts";
import { parseDataPattern } from "../../../src/pattern/parse.ts";
import { toRegExp } from "../../../src/pattern/print.ts";

const shapes = [
  { name: "program", begins: "[^M]" },
  { name: "compatible", begins: "MOZILLA/5\\.0 \\(COMPATIBLE; " },
];

type Case = readonly [rule: Parameters<typeof rulePattern>[0], found: readonly string[], missed: readonly string[]];

const cases: readonly Case[] = [
  [{ pattern: "Scan|Probe", place: "anywhere" }, ["a scan", "Probes"], ["scatter"]],
  [{ words: ["Scan", "Probe"], place: "anywhere" }, ["a scan", "Probes"], ["scatter"]],
  [{ pattern: "Scan", place: "comment" }, ["x (scan/1)", "x (a; scanner)"], ["scan/1", "x (a scan)"]],
  [{ pattern: "Scan", place: "product" }, ["FooScan/1", "FooScan;", "FooScan"], ["Scanner/1", "Foo-scan-x"]],
  [
    { pattern: "Scan", place: "last product" },
    ["FooScan/1.0", "x (foo scan 2)", "Scan"],
    ["FooScan/1 (iPhone)", "Scans"],
  ],
  [{ pattern: "Scan|Probe", place: "whole" }, ["Scan", "probe"], ["a scan", "Probes"]],
  [
    { pattern: "Scan|Probe", place: "anywhere", in: ["program", "compatible"] },
    ["Foo scan", "Mozilla/5.0 (compatible; Probe)"],
    ["Mozilla/5.0 (X11) scan", "Mozilla/5.0 (X11) Probe", "scan of what begins the string"],
  ],
  [{ pattern: "Scan", place: "last product", in: ["program"] }, ["Foo scan/1"], ["Foo scan x", "Mozilla/5.0 scan"]],
];

describe("rulePattern", () => {
  for (const [rule, found, missed] of cases)
    it(`${rule.pattern ?? rule.words?.join(", ")}, ${rule.place}${rule.in ? `, in ${rule.in.join(" and ")}` : ""}`, () => {
      const expression = toRegExp(parseDataPattern(rulePattern(rule, shapes).pattern));
      for (const text of found) assert.match(text, expression);
      for (const text of missed) assert.doesNotMatch(text, expression);
    });

  it("is tried at every place", () => {
    assert.deepEqual([...new Set(cases.map(([{ place }]) => place))].sort(), placeNames.toSorted());
  });
});
