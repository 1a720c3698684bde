/** Checks that every example is a crawler's and attributed to its own entry, and that no string of people is a crawler's. */

import { NameIndex } from "../detect/name-index.ts";
import type { Detector } from "../detect/verdict.ts";
import type { Item } from "./entry.ts";

/** A string of people. */
export interface Person {
  readonly text: string;
  /** `file:line`. */
  readonly source: string;
}

/**
 * Problems with file and line: examples that are not crawlers or that another entry names, and strings of people that are
 * crawlers. `items` are the detector's, in the order of precedence.
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
      if (!isCrawler(example)) report(`${named} is not taken for a crawler`);
      else if (item.kind === "entry" && winner !== item) report(`${named} goes to ${winner?.name} (${winner?.source})`);
    }
    if (item.kind === "rule") continue;
    for (const instance of item.instances)
      if (!isCrawler(instance)) report(`${JSON.stringify(instance)} is not taken for a crawler`);
  }
  const ofRules = items.flatMap((item) =>
    item.kind === "rule" ? item.people.map((text) => ({ text, source: item.source })) : [],
  );
  const taken = [...ofRules, ...people].filter(({ text }) => isCrawler(text));
  return [...problems, ...taken.map((person) => describeTaken(person, items, detector))];
}

/** Names the entry or the rule that decides. */
function describeTaken({ text, source }: Person, items: readonly Item[], { explain }: Detector): string {
  const said = `${source}: ${JSON.stringify(text)}, a person's, is taken for a crawler`;
  const deciding = explain(text).explanation.find(({ decides }) => decides);
  if (deciding === undefined) return said;
  const { kind, name, text: part } = deciding;
  const item = items.find((item) => item.kind === kind && item.name === name);
  return `${said} by the ${kind} ${name} (${item?.source}), which matches ${JSON.stringify(part)}`;
}
