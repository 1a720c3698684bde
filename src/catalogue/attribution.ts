/** Checks that every example is attributed to its own entry, which the order of precedence must bring about. */
import { find } from "../automaton/run.ts";
import { decodeTable, encodeTable } from "../automaton/tables.ts";
import type { Compiled } from "./compile.ts";

/** Problems with file and line: examples that another entry wins, and strings of people that a signature takes for crawlers. */
export function misattributed(compiled: Compiled): string[] {
  const table = decodeTable(encodeTable(compiled.identification));
  const problems: string[] = [];
  for (const { kind, item } of compiled.signs) {
    for (const example of item.examples) {
      const winner = compiled.signs[find(table, example).output - 1];
      if (winner?.item === item || (kind === "signature" && winner !== undefined)) continue;
      const why = winner ? `goes to ${winner.item.name} (${winner.item.source})` : "is not taken for a crawler";
      problems.push(`${item.source}: the example ${JSON.stringify(example)} of ${item.name} ${why}`);
    }
    if (kind === "entry") {
      for (const instance of item.instances)
        if (find(table, instance).output === 0)
          problems.push(`${item.source}: ${JSON.stringify(instance)} is not taken for a crawler`);
      continue;
    }
    for (const person of item.people) {
      const winner = compiled.signs[find(table, person).output - 1];
      if (winner)
        problems.push(
          `${item.source}: ${JSON.stringify(person)}, a person's, is taken for ${winner.item.name} (${winner.item.source})`,
        );
    }
  }
  return problems;
}
