/**
 * No string sends an engine into more than linear time. Proved on the tree for engines that backtrack (automata need no
 * proof); with `--all` also measured in those engines, with strings made to hurt: near-matches without end.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { provenPhrases } from "../../src/export/standalone/familiar-phrases.ts";
import { familiar } from "../../src/generated/decision.ts";
import { parseDataPattern, parsePattern } from "../../src/pattern/parse.ts";
import { runtimes } from "../cli/command-line.ts";
import { backtrackingSteps } from "../support/backtracking.ts";
import { isLinear } from "../support/linear.ts";
import { needs } from "../support/needs.ts";
import { isAll } from "../support/some-strings.ts";
import { runScript } from "./engine.ts";

const pieces = [
  ...["b", "Bo", "cubot ", "a", "1.", " ", "\t", "-", "(", "\u00e9", "\n"],
  ...["http:", "www", "(compatible; ", "Mozilla/5.0 ", "spide", "a-b_c ", "a.b.c/1.", "x/1 (", "like Gecko) "],
];
/** Hundreds of alternatives end at the first characters nearly everywhere. */
const maxStepsOfRule = 50_000;
const shortLength = 500;
const factor = 16;

/** Long strings that nothing is found in, so that an engine has to try everywhere; each short and `factor` times as long. */
function adversaries(): { short: string[]; long: string[] } {
  const fill = (piece: string, length: number, last: string): string =>
    piece.repeat(Math.ceil(length / piece.length)).slice(0, length) + last;
  const kinds = pieces.flatMap((piece) => ["", "\u00e9!"].map((last) => [piece, last] as const));
  const chosen = kinds.filter(([piece, last]) => !detector.isCrawler(fill(piece, factor * shortLength, last)));
  return {
    short: chosen.map(([piece, last]) => fill(piece, shortLength, last)),
    long: chosen.map(([piece, last]) => fill(piece, factor * shortLength, last)),
  };
}

describe("no string sends an engine into more than linear time", () => {
  it("by proof of each use of the catalogue: no two repeats can read the same text, nor can a match begin within one", () => {
    const uses = itemsInPrecedence(detector.catalogue).flatMap(({ match, part, expression }) => [
      part,
      expression,
      typeof match === "string" ? `(?:${match})$` : undefined,
    ]);
    const beginnings = [familiar, ...provenPhrases(detector.catalogue.deciding.unanchored)];
    const anchored = beginnings.map((expression) => `^(?:${expression})`);
    const sources = [detector.expression, ...anchored, ...detector.alternatives, ...uses].filter(
      (source) => source !== undefined,
    );
    assert(sources.length > 3000, `${sources.length}`);
    for (const { name, pattern } of detector.catalogue.items)
      if (name === undefined)
        assert(backtrackingSteps(parseDataPattern(pattern), maxStepsOfRule) <= maxStepsOfRule, pattern);
    for (const source of sources) assert(isLinear(parsePattern(source, { printed: true })), source);
  });

  if (!isAll) return;
  /** Backtracking engines: why each must be skipped, its command and its script. */
  const engines: readonly [name: string, skip: string | false, command: string[], script: string][] = [
    ["V8", false, [runtimes.Node, "{}", "time"], "match.js"],
    ["JavaScriptCore", false, [runtimes.Bun, "{}", "time"], "match.js"],
    ["Perl", needs("perl"), ["perl", "{}", "time"], "match.pl"],
    ["Python re", needs("python3"), ["python3", "{}", "re", "time"], "match.py"],
    ["Java", needs("java"), ["java", "{}", "time"], "Match.java"],
  ];
  const { short, long } = adversaries();
  for (const [name, skip, command, script] of engines) {
    it(`${name}: ${factor} times the length takes about ${factor} times as long, not ${factor ** 2} times`, {
      skip,
    }, () => {
      assert(short.length > 20, `${short.length} strings are not crawlers'`);
      let slow: string[] = [];
      // A measurement can be disturbed; three in a row hardly.
      for (let round = 0; round < 3; round++) {
        const answer = runScript(command, script, [detector.expression, ...short, ...long]);
        const times = answer.split(" ").map(Number);
        const ratios = short.map((_, i) => times[short.length + i]! / Math.max(times[i]!, 0.1));
        slow = long
          .map((text, i) => `${ratios[i]!.toFixed(0)} times: ${JSON.stringify(text.slice(0, 20))}…`)
          .filter((_, i) => ratios[i]! > 4 * factor);
        if (slow.length === 0) break;
      }
      assert.deepEqual(slow, []);
    });
  }
});
