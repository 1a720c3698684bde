/** Builds what makes the decision fast and is not needed for it: the sieve, and the expression of familiar strings. */
import { createRequire } from "node:module";
import { createSieve } from "../src/automaton/create-sieve.ts";
import { find } from "../src/automaton/run.ts";
import { commonBeginnings } from "../src/automaton/shortcuts.ts";
import { encodeSieve } from "../src/automaton/sieve.ts";
import { decodeTable, encodeTable } from "../src/automaton/tables.ts";
import type { Compiled } from "../src/catalogue/compile.ts";
import { familiarTo } from "../src/catalogue/familiar.ts";
import { print } from "../src/pattern/print.ts";
import { readPeople } from "./read-people.ts";

const usual = createRequire(import.meta.url)("top-user-agents") as readonly string[];

/** The sieve as bytes, and the expression. Which strings they are made from changes their speed, never a verdict. */
export function shortcutsOf(compiled: Compiled): { sieve: Uint8Array; familiar: string } {
  const search = decodeTable(encodeTable(compiled.search));
  // Sifting goes from the end of a string towards its beginning, in a crawler's down to the last match.
  const behindMatches = compiled.items
    .flatMap(({ examples }) => examples)
    .map((example) => example.slice(find(search, example).end));
  const samples = [usual, readPeople(), behindMatches].map((texts) => texts.map(withoutStem));
  return {
    sieve: encodeSieve(createSieve(compiled.alternatives, samples)),
    familiar: `^(?:${print(familiarTo(usual, stem, compiled))})$`,
  };
}

const [stem] = commonBeginnings;

/** The part that is sifted: two characters more than what follows the stem. */
function withoutStem(text: string): string {
  return text.startsWith(stem) ? text.slice(stem.length - 2) : text;
}
