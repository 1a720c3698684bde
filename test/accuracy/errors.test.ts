/** No new mistake goes in unseen: every string of the corpora that we get wrong is listed in docs/measurements/accuracy.md. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { listedErrors, toLine } from "../../bench/accuracy/error-list.ts";
import { measure } from "../../bench/accuracy/measure.ts";
import { isCrawler } from "../../src/index.ts";
import { readCorpora } from "../support/remembered.ts";

const report = readFileSync(new URL("../../docs/measurements/accuracy.md", import.meta.url), "utf8");
const said = {
  crawler: "missed, though it is a crawler",
  person: "taken for a crawler, though it is a person",
} as const;

describe("mistakes are listed in docs/measurements/accuracy.md", () => {
  for (const { corpus, wrong } of measure(isCrawler, readCorpora())) {
    test(`${corpus.name} (${corpus.source})`, () => {
      const listed = listedErrors(report, corpus.wanted);
      const fresh = wrong.map(toLine).filter((line) => !listed.has(line));
      assert.equal(
        fresh.length,
        0,
        `${fresh.length} ${said[corpus.wanted]}, and docs/measurements/accuracy.md does not list it:\n${fresh.join("\n")}\n` +
          "Mend the data (data/README.md says how); if the mistake is to stay, npm run bench:accuracy lists it.",
      );
    });
  }
});
