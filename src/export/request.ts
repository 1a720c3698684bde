/** Makes the request that a target receives, from a detector's catalogue and the user's selection. */

import { entryOf } from "../detect/matched-entry.ts";
import { robotsTokenOf, robotsTokens } from "../detect/policy/robots-tokens.ts";
import {
  parseNames,
  parseWords,
  type SelectableCrawler,
  type Selection,
  SelectionError,
  splitWords,
  toException,
  toSelection,
} from "../detect/policy/selection.ts";
import type { Detector } from "../detect/verdict.ts";
import { UserError } from "../text/errors.ts";
import { isPlain, quote, toPlain } from "../text/plain-text.ts";
import { type Item, itemsInPrecedence } from "./expressions.ts";
import { parseExportLimits } from "./nginx-limits.ts";
import type { ExportRequest } from "./target.ts";

/** The selection: a crawler must match at least one item of every list given. */
export interface Choice {
  readonly category?: readonly string[];
  readonly purpose?: readonly string[];
  readonly operator?: readonly string[];
  readonly name?: readonly string[];
  /** Words of exceptions. */
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
 * Makes the request. Throws SelectionError if nothing is selected or a name does not exist, and UserError for text that
 * configuration cannot contain: this is the only place where users' text enters.
 */
export function createExportRequest(
  detector: Detector,
  choice: Choice,
  { variable, command, limit, forRobots = false }: ExportOptions,
): ExportRequest {
  for (const text of [...Object.values(choice).flat(), ...(limit ?? []), command])
    if (!isPlain(text)) throw new UserError(`"${toPlain(text)}" has an invisible character or a line break.`);
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(variable))
    throw new UserError("A variable name must consist of at most 64 lowercase letters, digits and _, such as is_ai.");
  const items = itemsInPrecedence(detector.catalogue);
  const selectable = forRobots ? [...items, ...robotsTokens] : items;
  const { except = [], ...names } = choice;
  const demands = Object.entries(names).flatMap(([kind, words]) => parseDemand(kind as Kind, words ?? [], selectable));
  const exceptions = parseWords(except, selectable);
  const isExcepted = toException(exceptions);
  const isNamed = toSelection(exceptions);
  const isSelecting = demands.length > 0 || exceptions.size > 0;
  const selection: Selection = (item) => demands.every((has) => has(item)) && !isExcepted(item);
  if (isSelecting && !selectable.some(selection)) throw new SelectionError("No crawler in the catalogue is selected.");
  return {
    crawlers: detector.alternatives,
    expression: detector.expression,
    items,
    ...(isSelecting ? { selection, kept: selectable.filter((item) => selection(item) && isNamed(item)) } : {}),
    ...(limit ? { limits: parseExportLimits(limit, items) } : {}),
    variable,
    command,
    version: detector.version,
    known: detector.strings(),
    itemOf: createItemOf(items, detector),
  };
}

/** The condition that a list of names imposes; none if the list is empty. */
function parseDemand(kind: Kind, lists: readonly string[], items: readonly SelectableCrawler[]): Selection[] {
  const names = splitWords(lists);
  if (names.length === 0) return [];
  const toMessage = (name: string, hint: string): string => {
    const token = kind === "name" ? robotsTokenOf(name) : undefined;
    if (token === undefined) return `The catalogue has no crawler with the ${kind} ${quote(name)}.${hint}`;
    return `"${token.name}" is only a robots.txt token, which no request carries: only the target robots.txt can select it.`;
  };
  return [parseNames(names, items, namesOf[kind], toMessage)];
}

const namesOf = {
  category: ({ category }: SelectableCrawler): readonly string[] => (category === undefined ? [] : [category]),
  purpose: ({ purposes = [] }: SelectableCrawler): readonly string[] => purposes,
  operator: ({ operator }: SelectableCrawler) => (operator === undefined ? [] : [operator]),
  name: ({ name }: SelectableCrawler) => (name === undefined ? [] : [name]),
} satisfies Record<string, (item: SelectableCrawler) => readonly string[]>;

type Kind = keyof typeof namesOf;

/** The command quoted for a shell, for the comment in the output. */
export function toCommand(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w.,:=/-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`));
  return ["whocrawls export", ...quoted].join(" ");
}

/** Finds the item of a crawler's string by the verdict's pattern, which is unique to an item. */
function createItemOf(items: readonly Item[], { check }: Pick<Detector, "check">): (useragent: string) => number {
  const indices = new Map(items.map(({ name, pattern }, index) => [`${name ?? ""}\n${pattern}`, index]));
  return (useragent) => {
    const verdict = check(useragent);
    if (!verdict.crawler) return -1;
    const { pattern } = verdict;
    const name = entryOf(verdict) ?? "";
    return indices.get(`${name}\n${pattern}`) ?? indices.get(`\n${pattern}`) ?? -1;
  };
}
