/** `npm run check:data`: reads and checks the whole catalogue; prints problems with file and line, or a summary. */

import { fileURLToPath } from "node:url";
import { type Decisions, decisionsOf, misattributed } from "../src/compiler/attribution.ts";
import { compile, inPrecedence } from "../src/compiler/compile.ts";
import type { Catalogue } from "../src/compiler/entry.ts";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { decodeCompact } from "../src/detect/automaton/compact.ts";
import { print } from "../src/pattern/print.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { readNetworks } from "./read-networks.ts";
import { readVerification } from "./read-verification.ts";
import { readRobotsTokens, readWellKnown } from "./read-well-known.ts";
import { generated, isStale } from "./stale.ts";

/** Compiling takes ten seconds: what was built from the same files holds the same automata, and the same expression. */
async function decide(catalogue: Catalogue): Promise<Decisions & { readonly expression: string }> {
  if (isStale(generated, fileURLToPath(new URL("..", import.meta.url)))) {
    const compiled = compile(catalogue);
    return { ...decisionsOf(compiled), expression: print(compiled.tree) };
  }
  const [{ isCrawler }, { fromBytesText }, { identification }, { expression }] = await Promise.all([
    import("../src/detect/built-in/is-crawler.ts"),
    import("../src/detect/text.ts"),
    import("../src/generated/identification.ts"),
    import("../src/generated/expression.ts"),
  ]);
  const items = inPrecedence(catalogue);
  return { items, identification: decodeCompact(fromBytesText(identification)), isCrawler, expression };
}

/** PCRE2 compiles about 32,000 characters in its default 64 KiB; the rest is for the entries that users add. */
const maxExpressionLength = 27_000;

try {
  const catalogue = readCatalogue();
  const { expression, ...decisions } = await decide(catalogue);
  const problems = misattributed(decisions);
  const { length } = expression;
  if (length > maxExpressionLength) {
    problems.push(
      `data/: the expression has ${length} characters, ${maxExpressionLength} are allowed. Let a rule find the new strings, or shorten a pattern.`,
    );
  }
  if (problems.length > 0) throw new DataError(problems);
  const { proofs } = readVerification(catalogue);
  readNetworks();
  readWellKnown(catalogue);
  readRobotsTokens(catalogue);
  const examples = catalogue.entries.reduce((sum, entry) => sum + entry.examples.length, 0);
  console.log(
    `${catalogue.entries.length} entries, ${catalogue.rules.length} rules, ${examples} examples, ${proofs.length} ways to verify, an expression of ${length} characters: all sound`,
  );
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
