/**
 * The expression gives the library's verdict in every engine, run for real. Prints what was compared.
 */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { isAll, someOf } from "../support/some-strings.ts";
import { engines } from "./engines.ts";
import { stopPostgres } from "./postgres.ts";
import { engineStrings } from "./strings.ts";

const expressions = toExpressions(detector.catalogue);

const all = engineStrings();
/** Where case is ignored there is a little more to find; what, this runtime's engine says, which is tested beside. */
const ignoringCase = new RegExp(expressions.compact!, "i");
const rows: string[][] = [["engine", "version", "flavor", "strings", "disagreements", "seconds"]];

after(async () => {
  await stopPostgres();
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  console.log(rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ")).join("\n"));
});

/** Without `--all` one, which is not the engine of the other tests. */
const asked = engines.filter(({ name, isThere }) => isThere !== false && (isAll || name.startsWith("V8")));

describe("every engine gives the verdict of the library", () => {
  for (const engine of asked) {
    const { name, flavor = "portable", skip = false, accepts = () => true, limit = all.length, match } = engine;
    it(name, { skip }, async () => {
      const version = (await engine.version()) ?? "";
      const strings = someOf(all.filter(accepts), limit);
      const started = performance.now();
      const answers = await match(expressions[flavor]!, strings);
      const seconds = ((performance.now() - started) / 1_000).toFixed(1);
      const expected = flavor === "compact" ? (text: string) => ignoringCase.test(text) : detector.isCrawler;
      const wrong = strings.filter((text, i) => answers[i] !== expected(text));
      rows.push([name, version, flavor, strings.length.toLocaleString("en"), String(wrong.length), seconds]);
      assert.equal(answers.length, strings.length);
      assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} disagreements`);
      assert(answers.includes(true) && answers.includes(false));
    });
  }
});
