/** Merges custom catalogues in order, using the names of the base catalogue. Their content is checked; nothing is compiled. */
import type { CompiledCatalogue, RobotsRules } from "../../detect/compiled-catalogue.ts";
import type { CrawlerFacts } from "../../detect/facts.ts";
import { members } from "../../pattern/charset.ts";
import { countsNonAscii, countsNonAsciiProblem } from "../../pattern/counts-non-ascii.ts";
import { toNfa } from "../../pattern/nfa.ts";
import { escapeLiteral, parseDataPattern } from "../../pattern/parse.ts";
import { shortest, type Tree } from "../../pattern/tree.ts";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { determinize, TooManyStates } from "../automaton/dfa.ts";
import type { Entry } from "../entry.ts";
import { DataError, firstOf, type Problem } from "../sources/data-error.ts";
import { unmatchedExamples } from "../sources/load.ts";
import type { Located } from "../sources/yaml.ts";
import type { CustomFile } from "./custom-schema.ts";
import type { ReadOwn } from "./read-custom.ts";

type Facts = Partial<CrawlerFacts & { readonly robots: string; readonly robotsRules: RobotsRules }>;

/** Own catalogues as one. */
export interface CustomCatalogue {
  /** In the order of precedence: of a later file first, then with longer patterns. */
  readonly entries: readonly Entry[];
  /** By lowercase name: changed facts of entries of the base catalogue. */
  readonly changes: ReadonlyMap<string, Facts>;
  /** Names of entries and rules of the base catalogue. */
  readonly removed: readonly Located<string>[];
  readonly rulesOff: readonly Located<string>[];
  readonly people: readonly Located<CustomFile["people"][number]>[];
  readonly verification: readonly Located<CustomFile["verification"][number]>[];
}

/** So many rows take a millisecond or two. */
const partRows = 20;

/** For one pattern; a version of five numbers takes twenty states. */
const maxStates = 2_000;
/** For all patterns; a thousand patterns with versions take half of it. */
const maxStatesOfAll = 100_000;

/** Joins custom catalogues, of which later ones take precedence; throws DataError that names the first problems with file and line. */
export function* mergeCustom(
  files: readonly ReadOwn[],
  base: Pick<CompiledCatalogue, "items" | "rules">,
): Generator<undefined, CustomCatalogue> {
  const problems: Problem[] = [];
  const baseNames = new Map(base.items.flatMap(({ name }) => (name === undefined ? [] : [[name.toLowerCase(), name]])));
  const rules = base.rules.map(({ name }) => name);
  const own = new Map<string, { readonly entry: Entry; readonly file: number }>();
  const changes = new Map<string, Facts>();
  const removed = new Map<string, Located<string>>();
  const rulesOff: Located<string>[] = [];
  let people: CustomCatalogue["people"] = [];
  let verification: CustomCatalogue["verification"] = [];
  const isKnown = (key: string): boolean => own.has(key) || (baseNames.has(key) && !removed.has(key));
  const unknownCrawler = (source: string, part: string, name: string): void => {
    const by = removed.get(name.toLowerCase());
    problems.push(() => {
      if (by) return `${source}: ${part}: ${name} was removed by "remove" in ${by.source}; delete one of the two`;
      const added = own.get(name.toLowerCase());
      if (added)
        return `${source}: ${part}: ${name} is only added by "crawlers" in ${added.entry.source}; delete one of the two`;
      const known = [...baseNames.values(), ...[...own.values()].map(({ entry }) => entry.name)];
      return `${source}: ${part}: there is no crawler named ${name}.${didYouMean(nearestWord(name, known))}`;
    });
  };

  for (const [file, { value, at }] of files.entries()) {
    for (const [index, name] of value.remove.entries()) {
      const key = name.toLowerCase();
      const source = at("remove", index);
      if (!isKnown(key)) unknownCrawler(source, "remove", name);
      own.delete(key);
      const known = baseNames.get(key);
      if (known !== undefined) removed.set(key, { value: known, source });
    }
    const here = new Map<string, string>();
    for (const [index, row] of value.crawlers.entries()) {
      const key = row.name.toLowerCase();
      const source = at("crawlers", index);
      if (here.has(key)) problems.push(`${source}: the name ${row.name} is taken by ${here.get(key)}`);
      here.set(key, source);
      const entry = { ...row, pattern: row.pattern ?? escapeLiteral(row.name), instances: [], source };
      own.set(key, { entry, file });
      if (index % partRows === 0) yield;
    }
    yield;
    for (const [index, { name, ...facts }] of value.change.entries()) {
      const key = name.toLowerCase();
      const known = own.get(key);
      if (known !== undefined) own.set(key, { ...known, entry: { ...known.entry, ...facts } });
      else if (isKnown(key)) changes.set(key, { ...changes.get(key), ...facts });
      else unknownCrawler(at("change", index), "change", name);
    }
    yield;
    for (const [index, name] of value.rules.off.entries()) {
      const source = at("rules", "off", index);
      if (rules.includes(name)) rulesOff.push({ value: name, source });
      else
        problems.push(() => `${source}: rules: there is no rule named ${name}.${didYouMean(nearestWord(name, rules))}`);
    }
    people = [...people, ...value.people.map((row, i) => ({ value: row, source: at("people", i) }))];
    // The first row that names a crawler verifies it, so rows of later files come first.
    const rows = value.verification.map((row, i) => ({ value: row, source: at("verification", i) }));
    verification = [...rows, ...verification];
  }
  verification = verification.map(({ value, source }) => {
    const crawlers = value.crawlers.map((name) => {
      const key = name.toLowerCase();
      if (!isKnown(key)) unknownCrawler(source, "verification", name);
      return own.get(key)?.entry.name ?? baseNames.get(key) ?? name;
    });
    return { value: { ...value, crawlers }, source };
  });
  for (const { value, source } of people)
    for (const word of value.words)
      if (countsNonAscii(parseDataPattern(word)))
        problems.push(`${source}: people: the word ${JSON.stringify(word)} ${countsNonAsciiProblem}`);
  const entries = yield* inOrder([...own.values()]);
  for (const [index, entry] of entries.entries()) {
    problems.push(...unmatchedExamples(entry));
    if (index % partRows === 0) yield;
  }
  problems.push(...(yield* tooManyStates(entries)));
  if (problems.length > 0) throw new DataError(firstOf(problems));
  return { entries, changes, removed: [...removed.values()], rulesOff, people, verification };
}

function* inOrder(own: readonly { readonly entry: Entry; readonly file: number }[]): Generator<undefined, Entry[]> {
  const rows: { readonly entry: Entry; readonly file: number; readonly length: number }[] = [];
  for (const { entry, file } of own) {
    rows.push({ entry, file, length: shortest(parseDataPattern(entry.pattern)) });
    if (rows.length % partRows === 0) yield;
  }
  rows.sort((a, b) => b.file - a.file || b.length - a.length || (a.entry.name < b.entry.name ? -1 : 1));
  return rows.map(({ entry }) => entry);
}

/** Patterns such as Foo.{0,100}Bar, whose automata must track every position at which a match may have begun. */
function* tooManyStates(entries: readonly Entry[]): Generator<undefined, string[]> {
  const problems: string[] = [];
  let left = maxStatesOfAll;
  for (const [index, entry] of entries.entries()) {
    if (index % partRows === 0) yield;
    const tree = parseDataPattern(entry.pattern);
    if (isLiteral(tree)) continue;
    try {
      left -= (yield* determinize(toNfa(tree), maxStates)).stateCount;
    } catch (error) {
      if (!(error instanceof TooManyStates)) throw error;
      problems.push(`${entry.source}: the pattern of ${entry.name} needs too many states; shorten its repetitions`);
      left -= maxStates;
    }
    if (left < 0)
      return [
        ...problems,
        `${entry.source}: your patterns together need too many states. Shorten repetitions such as {0,50}, or use fewer of them.`,
      ];
  }
  return problems;
}

/** Whether a tree stands for a few texts, whose automaton has hardly more states than they have characters. */
function isLiteral(tree: Tree): boolean {
  if (tree.type === "set") return members(tree.set).length <= 2;
  return tree.type === "repeat" ? tree.max === 1 && isLiteral(tree.item) : tree.items.every(isLiteral);
}
