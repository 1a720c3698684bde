/** `npm run check:data`: reads and checks the whole catalogue, says what is wrong with file and line, or what it holds. */

import { misattributed } from "../src/catalogue/attribution.ts";
import { compile } from "../src/catalogue/compile.ts";
import { DataError } from "../src/catalogue/yaml.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { readVerification } from "./read-verification.ts";

try {
  const catalogue = readCatalogue();
  const problems = misattributed(compile(catalogue));
  if (problems.length > 0) throw new DataError(problems);
  const { proofs } = readVerification(catalogue);
  const examples = catalogue.entries.reduce((sum, entry) => sum + entry.examples.length, 0);
  console.log(
    `${catalogue.entries.length} entries, ${catalogue.rules.length} rules, ${examples} examples, ${proofs.length} ways to verify: all sound`,
  );
} catch (error) {
  if (!(error instanceof DataError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
