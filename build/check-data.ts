/**
 * `npm run check:data`: checks the whole catalogue, and strings of people; prints problems with file and line, or a summary.
 * It first builds the generated modules if they are older than the data, so that `npm run prepare` need not compile again.
 */

import { fileURLToPath } from "node:url";
import { misattributed, misplacedForms } from "../src/compiler/attribution.ts";
import { inPrecedence } from "../src/compiler/compile.ts";
import { portableOf } from "../src/detect/name-index.ts";
import { toExpression } from "../src/pattern/factor.ts";
import { parsePattern } from "../src/pattern/parse.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { readKnownErrors, readPeopleLines } from "./read-people.ts";
import { generated, isStale } from "./stale.ts";

/** PCRE2 compiles about 31,500 characters in its default 64 KiB; the rest is for the entries that users add. */
const maxExpressionLength = 29_500;
const warningLength = 29_000;

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
  const text = `data/: the expression has ${length} characters; at most ${maxExpressionLength} are allowed. Shorten patterns. The longest: ${longestParts()}`;
  if (length > maxExpressionLength) problems.push(text);
  else console.warn(text);
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
} else {
  const { entries, rules } = catalogue;
  console.log(
    `${entries.length} entries, ${rules.length} rules and ${people.length} people's strings (${known.length} known errors) are valid; the expression has room for about ${entriesThatFit()} more entries that rules do not find`,
  );
}

/** How many entries the expression has room for that take up as much of it as the entries that decide now. */
function entriesThatFit(): number {
  const { alternatives, nameIndex } = detector.catalogue;
  const ofRules = alternatives.filter((number) => items[number]!.kind === "rule");
  const trees = ofRules.map((number) => parsePattern(portableOf(nameIndex[number]!), { printed: true }));
  const lengthOfEntries = length - toExpression(trees).length;
  return Math.floor(((maxExpressionLength - length) * (alternatives.length - ofRules.length)) / lengthOfEntries);
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
