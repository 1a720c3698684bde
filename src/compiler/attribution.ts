/**
 * Checks that every example is detected as a crawler and attributed to its own entry, that no person's string is, and that entries are found
 * in the plain forms that their patterns match.
 */

import { expressionOf, NameIndex } from "../detect/name-index.ts";
import type { Detector } from "../detect/verdict.ts";
import type { Item } from "./entry.ts";
import { formsOf } from "./forms.ts";

/** A string of people. */
export interface Person {
  readonly text: string;
  /** `file:line`. */
  readonly source: string;
}

/**
 * Problems with file and line: examples that are not detected or that another entry names, and people's strings that are
 * detected. `items` are the detector's, in order of precedence.
 */
export function misattributed(items: readonly Item[], detector: Detector, people: readonly Person[] = []): string[] {
  const { isCrawler } = detector;
  const index = new NameIndex(detector.catalogue.nameIndex);
  const winnerOf = (text: string): Item | undefined => items[index.find(text)?.item ?? -1];
  const problems: string[] = [];
  for (const item of items) {
    const report = (what: string): void => void problems.push(`${item.source}: ${what}`);
    for (const example of item.examples) {
      const winner = winnerOf(example);
      const named = `the example ${JSON.stringify(example)} of ${item.name}`;
      if (!isCrawler(example)) report(`${named} is not detected as a crawler`);
      else if (item.kind === "entry" && winner !== item)
        report(`${named} is attributed to ${winner?.name} (${winner?.source})`);
    }
    if (item.kind === "rule") continue;
    for (const instance of item.instances)
      if (!isCrawler(instance)) report(`${JSON.stringify(instance)} is not detected as a crawler`);
  }
  const ofRules = items.flatMap((item) =>
    item.kind === "rule" ? item.people.map((text) => ({ text, source: item.source })) : [],
  );
  const taken = [...ofRules, ...people].filter(({ text }) => isCrawler(text));
  return [...problems, ...taken.map((person) => describeTaken(person, items, detector))];
}

/** Plain forms in which an entry is not found. `items` are the detector's, in order of precedence. */
export function misplacedForms(items: readonly Item[], { catalogue, isCrawler }: Detector): string[] {
  // linear: consists of the catalogue's patterns
  const expressions = catalogue.nameIndex.map((line) => new RegExp(expressionOf(line)));
  return items.flatMap((item, index) => {
    if (item.kind === "rule") return [];
    const { name, category, source, examples, instances } = item;
    return formsOf({ name, category, expression: expressions[index]!, known: [...examples, ...instances] })
      .filter(({ text }) => !isCrawler(text))
      .map(({ form, text }) => `${source}: ${name} is not found in the form "${form}": ${JSON.stringify(text)}`);
  });
}

/** Names the entry or the rule that decides. */
function describeTaken({ text, source }: Person, items: readonly Item[], { explain }: Detector): string {
  const said = `${source}: ${JSON.stringify(text)}, a person's user agent, is mistaken for a crawler`;
  const deciding = explain(text).explanation.find(({ decides }) => decides);
  if (deciding === undefined) return said;
  const { kind, name, text: part } = deciding;
  const item = items.find((item) => item.kind === kind && item.name === name);
  return `${said} by the ${kind} ${name} (${item?.source}), which matches ${JSON.stringify(part)}`;
}
