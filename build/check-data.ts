/**
 * `npm run check:data`: checks the whole catalogue, and strings of people; prints problems with file and line, or a summary.
 * It first builds the generated modules if they are older than the data: `npm run prepare` then need not compile again.
 */

import { fileURLToPath } from "node:url";
import { misattributed } from "../src/compiler/attribution.ts";
import { inPrecedence } from "../src/compiler/compile.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { readKnownErrors, readPeopleLines } from "./read-people.ts";
import { generated, isStale } from "./stale.ts";

/** PCRE2 compiles about 32,000 characters in its default 64 KiB; the rest is for the entries that users add. */
const maxExpressionLength = 27_000;

// Ends the process if the data cannot be compiled.
if (isStale(generated, fileURLToPath(new URL("..", import.meta.url)))) await import("./generate.ts");
const { detector } = await import("../src/detect/built-in/detector.ts");

const catalogue = readCatalogue();
const people = readPeopleLines();
const known = readKnownErrors();
const unexpected = people.filter(({ text }) => known.every((error) => error.text !== text));
const problems = misattributed(inPrecedence(catalogue), detector, unexpected);
for (const { text, source } of known)
  if (!detector.isCrawler(text))
    problems.push(`${source}: ${JSON.stringify(text)} is no error any more; remove the line`);
const { length } = detector.expression;
if (length > maxExpressionLength) {
  problems.push(
    `data/: the expression has ${length} characters, ${maxExpressionLength} are allowed. Let a rule find the new strings, or shorten a pattern.`,
  );
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
} else {
  const { entries, rules } = catalogue;
  const examples = entries.reduce((sum, entry) => sum + entry.examples.length, 0);
  const { proofs } = detector.catalogue.verification;
  console.log(
    `${entries.length} entries, ${rules.length} rules, ${examples} examples, ${people.length} strings of people (${known.length} known errors), ${proofs.length} ways to verify, an expression of ${length} characters: all sound`,
  );
}
