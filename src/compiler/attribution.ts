/** Checks that every example is a crawler's and attributed to its own entry, and that no rule's people are crawlers. */

import { type CompactTable, decodeCompact, find } from "../detect/automaton/compact.ts";
import { createMatcher } from "../detect/automaton/matcher.ts";
import { encodeTable, toTable } from "./automaton/encode-table.ts";
import type { Compiled } from "./compile.ts";
import type { Item } from "./entry.ts";

/** The automata that decide and name. */
export interface Decisions {
  /** In the order of precedence, as the outputs of `identification` count them. */
  readonly items: readonly Item[];
  readonly identification: CompactTable;
  isCrawler(text: string): boolean;
}

/** The decisions of a catalogue that has just been compiled. */
export function decisionsOf(compiled: Compiled): Decisions {
  const isCrawler = createMatcher(toTable(compiled.unanchored), compiled.anchored.map(toTable)).test;
  return { items: compiled.items, identification: decodeCompact(encodeTable(compiled.identification)), isCrawler };
}

/** Problems with file and line: examples that are not crawlers or that another entry names, and people's strings that are crawlers. */
export function misattributed({ items, identification, isCrawler }: Decisions): string[] {
  const winnerOf = (text: string): Item | undefined => items[find(identification, text).output - 1];
  const problems: string[] = [];
  for (const item of items) {
    const report = (what: string): void => void problems.push(`${item.source}: ${what}`);
    for (const example of item.examples) {
      const winner = winnerOf(example);
      const named = `the example ${JSON.stringify(example)} of ${item.name}`;
      if (!isCrawler(example)) report(`${named} is not taken for a crawler`);
      else if (item.kind === "entry" && winner !== item) report(`${named} goes to ${winner?.name} (${winner?.source})`);
    }
    if (item.kind === "entry") {
      for (const instance of item.instances)
        if (!isCrawler(instance)) report(`${JSON.stringify(instance)} is not taken for a crawler`);
      continue;
    }
    for (const person of item.people) {
      if (!isCrawler(person)) continue;
      const winner = winnerOf(person);
      const why = winner ? `for ${winner.name} (${winner.source})` : "for a crawler by an anchored rule";
      report(`${JSON.stringify(person)}, a person's, is taken ${why}`);
    }
  }
  return problems;
}
