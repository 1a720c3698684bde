/** Modifies the data that a catalogue is compiled from, as requested by custom catalogues. */
import type { Catalogue } from "../entry.ts";
import type { AddedException } from "./people.ts";

/** The changes, as plain values only. */
export interface Modification {
  /** Names of entries that are left out. */
  readonly remove: readonly string[];
  /** Names of rules that are left out. */
  readonly rulesOff: readonly string[];
  readonly except: readonly AddedException[];
}

/** The catalogue with the changes. */
export function modify(catalogue: Catalogue, modification: Modification): Catalogue {
  const removed = new Set(modification.remove);
  const rulesOff = new Set(modification.rulesOff);
  const rules = catalogue.rules
    .filter(({ name }) => !rulesOff.has(name))
    .map((rule) => {
      const added = modification.except.filter((exception) => exception.rule === rule.name);
      const except = added.flatMap(({ words, why }) => words.map((pattern) => ({ pattern, why })));
      return { ...rule, except: [...rule.except, ...except] };
    });
  const entries = catalogue.entries.filter(({ name }) => !removed.has(name));
  return { ...catalogue, entries, rules };
}
