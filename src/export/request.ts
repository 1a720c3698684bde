/** Makes the request that a target receives, from a detector's catalogue and the user's selection. */

import { robotsTokenOf, robotsTokens } from "../detect/policy/robots-tokens.ts";
import {
  type Choosable,
  parseExceptions,
  parseSelection,
  type Selection,
  SelectionError,
  splitWords,
  toWord,
} from "../detect/policy/selection.ts";
import type { Detector } from "../detect/verdict.ts";
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import { isPlain, toPlain } from "../text/plain-text.ts";
import { type Item, itemsInPrecedence } from "./export-items.ts";
import { parseExportLimits } from "./nginx-limits.ts";
import { ExportError, type ExportRequest } from "./target.ts";

/** The selection. Each is a list of which one must match; all given lists must match. */
export interface Choice {
  readonly category?: readonly string[];
  readonly purpose?: readonly string[];
  readonly operator?: readonly string[];
  readonly name?: readonly string[];
  /** Words of parseExceptions. */
  readonly except?: readonly string[];
}

interface ExportOptions {
  readonly variable: string;
  readonly command: string;
  /** Words with rates, for nginx. */
  readonly limit?: readonly string[] | undefined;
  /** Whether tokens that only robots.txt has can be selected. */
  readonly forRobots?: boolean;
}

/**
 * Makes the request. Throws SelectionError if nothing is chosen, or something that there is not, and ExportError for text that
 * configuration cannot hold: this is the only place where text of users enters.
 */
export function createExportRequest(
  detector: Detector,
  choice: Choice,
  { variable, command, limit, forRobots = false }: ExportOptions,
): ExportRequest {
  for (const text of [...Object.values(choice).flat(), ...(limit ?? []), command])
    if (!isPlain(text)) throw new ExportError(`"${toPlain(text)}" has an invisible character or a line break.`);
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(variable))
    throw new ExportError("A variable's name has at most 64 small letters, digits and _, such as is_ai.");
  const items = itemsInPrecedence(detector.catalogue);
  const selectable = forRobots ? [...items, ...robotsTokens] : items;
  const selection = toSelection(choice, selectable);
  const isNamed = choice.except === undefined ? () => false : parseSelection(choice.except, selectable);
  if (selection && !selectable.some(selection)) throw new SelectionError("No crawler of the catalogue is selected.");
  return {
    crawlers: detector.alternatives,
    expression: detector.expression,
    items,
    ...(selection ? { selection, kept: selectable.filter((item) => selection(item) && isNamed(item)) } : {}),
    ...(limit ? { limits: parseExportLimits(limit, items) } : {}),
    variable,
    command,
    version: detector.version,
    known: detector.strings(),
    itemOf: createItemOf(items, detector),
  };
}

function toSelection({ except, ...choice }: Choice, items: readonly Choosable[]): Selection | undefined {
  const demands = Object.entries(choice).flatMap(([kind, words]) => {
    const wanted = new Set(splitWords(words ?? []).map((word) => word.toLowerCase()));
    if (wanted.size === 0) return [];
    const has = (item: Choosable) => toNames[kind as keyof typeof toNames](item).map((value) => value.toLowerCase());
    for (const word of wanted) if (!items.some((item) => has(item).includes(word))) throw toError(kind, word, items);
    return [(item: Choosable) => has(item).some((value) => wanted.has(value))];
  });
  const excepted = except && parseExceptions(except, items);
  if (demands.length === 0 && !except?.length) return undefined;
  return (item) => demands.every((has) => has(item)) && !excepted?.(item);
}

/** Names the nearest value, and all values if they are few. */
function toError(kind: string, word: string, items: readonly Choosable[]): SelectionError {
  const token = kind === "name" ? robotsTokenOf(word) : undefined;
  if (token !== undefined)
    return new SelectionError(
      `"${token.name}" is a name for robots.txt, and no request carries it: only the target robots.txt can name it.`,
    );
  const known = new Set(items.flatMap((item) => toNames[kind as keyof typeof toNames](item)));
  const all = kind === "category" || kind === "purpose" ? ` There are ${[...known].sort().join(", ")}.` : "";
  const nearest = nearestWord(word, known);
  const hint = all || didYouMean(nearest && toWord(nearest));
  return new SelectionError(`The catalogue has no crawler with the ${kind} ${JSON.stringify(word)}.${hint}`);
}

const toNames = {
  category: ({ category }: Choosable): readonly string[] => (category === undefined ? [] : [category]),
  purpose: ({ purposes = [] }: Choosable): readonly string[] => purposes,
  operator: ({ operator }: Choosable) => (operator === undefined ? [] : [operator]),
  name: ({ name }: Choosable) => (name === undefined ? [] : [name]),
} satisfies Record<string, (item: Choosable) => readonly string[]>;

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
