/**
 * `npm run check:data`: checks the whole catalogue, and strings of people; prints problems with file and line, or a summary.
 * It first builds the generated modules if they are older than the data, so that `npm run prepare` need not compile again.
 */

import { fileURLToPath } from "node:url";
import { misattributed, misplacedForms } from "../src/compiler/attribution.ts";
import { inPrecedence } from "../src/compiler/compile.ts";
import { portableOf } from "../src/detect/name-index.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { readKnownErrors, readPeopleLines } from "./read-people.ts";
import { generated, isStale } from "./stale.ts";

/** PCRE2 compiles about 30,500 characters in its default 64 KiB; the rest is for the entries that users add. */
const maxExpressionLength = 28_500;
const warningLength = 28_000;

// Ends the process if the data cannot be compiled.
if (isStale(generated, fileURLToPath(new URL("..", import.meta.url)))) await import("./generate.ts");
const { detector } = await import("../src/detect/built-in/detector.ts");

const catalogue = readCatalogue();
const people = readPeopleLines();
const known = readKnownErrors();
const unexpected = people.filter(({ text }) => known.every((error) => error.text !== text));
const items = inPrecedence(catalogue);
const problems = [...misattributed(items, detector, unexpected), ...misplacedForms(items, detector)];
for (const { text, source } of known)
  if (!detector.isCrawler(text))
    problems.push(`${source}: ${JSON.stringify(text)} is no longer an error; remove this line`);
const { length } = detector.expression;
if (length > warningLength) {
  const text = `data/: the expression has ${length} characters; at most ${maxExpressionLength} are allowed. Shorten patterns, or add entries to data/exemptions.yaml. The longest parts: ${longestParts()}`;
  if (length > maxExpressionLength) problems.push(text);
  else console.warn(text);
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
} else {
  const { entries, rules } = catalogue;
  const examples = entries.reduce((sum, entry) => sum + entry.examples.length, 0);
  const { proofs } = detector.catalogue.verification;
  console.log(
    `${entries.length} entries, ${rules.length} rules, ${examples} examples, ${people.length} people's strings (${known.length} known errors), ${proofs.length} verification methods, an expression of ${length} characters, ${roomCount()} entries without room in it for all forms: all valid`,
  );
}

/** How many entries are not found in every plain form because the expression has no room. */
function roomCount(): number {
  const rows = detector.catalogue.exemptions.filter(({ why }) => why === "room");
  return rows.reduce((sum, { crawlers }) => sum + crawlers.length, 0);
}

/** The ten entries and rules whose patterns, without exceptions, take up the most characters of the expression. */
function longestParts(): string {
  const names = new Map(detector.catalogue.nameIndex.map((line, i) => [portableOf(line), items[i]!.name]));
  return detector.alternatives
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 10)
    .map((pattern) => `${names.get(pattern)} (${pattern.length})`)
    .join(", ");
}
