/**
 * `npm run bench:accuracy`: measures detectors on labeled user agents and writes docs/accuracy.md and docs/measurements/accuracy.md. Takes
 * a minute or two.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { RuleFacts } from "../../src/detect/compiled-catalogue.ts";
import { rules as rulesText } from "../../src/generated/rules.ts";
import { contributionsOf } from "./contributions.ts";
import { readCorpora } from "./corpora.ts";
import { createPeers, ours } from "./detectors.ts";
import { createReasoner, type Reason } from "./reasons.ts";
import { filled, report } from "./report.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");

const rules = JSON.parse(rulesText) as RuleFacts[];
const corpora = readCorpora();
const places = report({
  detectors: [ours, ...createPeers()],
  corpora,
  reasonFor: createReasoner(parse(read("reasons.yaml")) as Reason[]),
  contributions: contributionsOf(
    rules.map(({ name }) => name),
    corpora,
  ),
  counts: {
    entries: detector.entries,
    rules: rules.length,
    exceptions: rules.reduce((sum, { except }) => sum + except.length, 0),
  },
});
for (const [template, page] of [
  ["page.md", "docs/accuracy.md"],
  ["measurement.md", "docs/measurements/accuracy.md"],
] as const) {
  writeFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), filled(read(template), places));
  console.log(`Wrote ${page}`);
}
