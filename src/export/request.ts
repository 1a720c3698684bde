/** Makes the request that a target receives, from a detector's catalogue and the user's selection. */

import { didYouMean, nearestWord } from "../detect/policy/nearest-word.ts";
import { parseSelection, type Selection, SelectionError, splitWords } from "../detect/policy/selection.ts";
import type { Detector } from "../detect/verdict.ts";
import { isPlain, toPlain } from "../markup/plain-text.ts";
import { ExportError } from "./export-error.ts";
import { type Item, itemsInPrecedence } from "./export-items.ts";
import type { ExportRequest } from "./target.ts";

/** The selection. Each is a list of which one must match; all given lists must match. */
export interface Choice {
  readonly category?: readonly string[];
  readonly purpose?: readonly string[];
  readonly operator?: readonly string[];
  readonly name?: readonly string[];
  /** Words of parseSelection: who is left out. */
  readonly except?: readonly string[];
}

/**
 * Makes the request. Throws SelectionError if nothing is chosen, or something that there is not, and ExportError for text that
 * configuration cannot hold: this is the only place where text of users enters.
 */
export function createExportRequest(
  detector: Detector,
  choice: Choice,
  { variable, command }: { readonly variable: string; readonly command: string },
): ExportRequest {
  for (const text of [...Object.values(choice).flat(), command])
    if (!isPlain(text)) throw new ExportError(`"${toPlain(text)}" has an invisible character or a line break.`);
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(variable))
    throw new ExportError("A variable's name has at most 64 small letters, digits and _, such as is_ai.");
  const items = itemsInPrecedence(detector.catalogue);
  const selection = toSelection(choice, items);
  if (selection && !items.some(selection)) throw new SelectionError("No crawler of the catalogue is selected.");
  return {
    crawlers: detector.alternatives,
    expression: detector.expression,
    items,
    ...(selection ? { selection } : {}),
    variable,
    command,
    version: detector.version,
    known: detector.strings(),
    itemOf: createItemOf(items, detector),
  };
}

function toSelection({ except, ...choice }: Choice, items: readonly Item[]): Selection | undefined {
  const demands = Object.entries(choice).flatMap(([kind, words]) => {
    const wanted = new Set(splitWords(words ?? []).map((word) => word.toLowerCase()));
    if (wanted.size === 0) return [];
    const has = (item: Item) => toNames[kind as keyof typeof toNames](item).map((value) => value.toLowerCase());
    for (const word of wanted) if (!items.some((item) => has(item).includes(word))) throw toError(kind, word, items);
    return [(item: Item) => has(item).some((value) => wanted.has(value))];
  });
  const excepted = except && parseSelection(except, items);
  if (demands.length === 0 && !except?.length) return undefined;
  return (item) => demands.every((has) => has(item as Item)) && !excepted?.(item);
}

/** Names the nearest value, and all of those that are few. */
function toError(kind: string, word: string, items: readonly Item[]): SelectionError {
  const known = new Set(items.flatMap((item) => toNames[kind as keyof typeof toNames](item)));
  const all = kind === "category" || kind === "purpose" ? ` There are ${[...known].sort().join(", ")}.` : "";
  const hint = all || didYouMean(nearestWord(word, known));
  return new SelectionError(`The catalogue has no crawler with the ${kind} ${JSON.stringify(word)}.${hint}`);
}

const toNames = {
  category: ({ category }: Item): readonly string[] => [category],
  purpose: ({ purposes = [] }: Item): readonly string[] => purposes,
  operator: ({ operator }: Item) => (operator === undefined ? [] : [operator]),
  name: ({ name }: Item) => (name === undefined ? [] : [name]),
} satisfies Record<string, (item: Item) => readonly string[]>;

/** The command quoted for a shell, for the comment in the output. */
export function toCommand(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w.,:=/-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`));
  return ["whocrawls export", ...quoted].join(" ");
}

/** Whose a crawler's string is, by the verdict: a pattern is one item's. */
function createItemOf(items: readonly Item[], { check }: Pick<Detector, "check">): (useragent: string) => number {
  const indices = new Map(items.map(({ name, pattern }, index) => [`${name ?? ""}\n${pattern}`, index]));
  return (useragent) => {
    const { crawler, name = "", pattern } = check(useragent);
    if (!crawler) return -1;
    return indices.get(`${name}\n${pattern}`) ?? indices.get(`\n${pattern}`) ?? -1;
  };
}
