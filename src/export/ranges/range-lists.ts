/** Address lists of operators' crawlers in the form that exports take, and functions to choose among them. */

import { parseNames, SelectionError } from "../../detect/policy/selection.ts";
import { quote } from "../../text/plain-text.ts";

/** A list that an operator publishes. */
export interface PublishedList {
  readonly operator: string;
  /** The crawlers whose addresses it has. */
  readonly crawlers: readonly string[];
  /** Where the operator publishes it. */
  readonly sources: readonly string[];
  /** When it was last known to be correct, in RFC 3339. */
  readonly asOf: string;
  readonly prefixes: readonly string[];
}

/** The input of an export. */
export interface RangesRequest {
  readonly lists: readonly PublishedList[];
  /** The name of the result in the configuration, such as `crawler_operator`. */
  readonly variable: string;
  /** What wrote it, for the comment at the top. */
  readonly origin: string;
}

interface Choice {
  readonly operators?: readonly string[] | undefined;
  readonly crawlers?: readonly string[] | undefined;
}

/** The lists that match all given names, whatever their case. Throws SelectionError for a name without a list, and if no list is left. */
export function chooseLists<List extends Pick<PublishedList, "operator" | "crawlers">>(
  lists: readonly List[],
  { operators, crawlers }: Choice,
): readonly List[] {
  const byOperator = chooser("operator", operators, lists, ({ operator }) => [operator]);
  const byCrawler = chooser("crawler", crawlers, lists, ({ crawlers }) => crawlers);
  const chosen = lists.filter((list) => byOperator(list) && byCrawler(list));
  if (chosen.length === 0) throw new SelectionError("No list belongs to both this operator and this crawler.");
  return chosen;
}

function chooser<List>(
  what: string,
  names: readonly string[] | undefined,
  lists: readonly List[],
  namesOf: (list: List) => readonly string[],
): (list: List) => boolean {
  if (names === undefined) return () => true;
  return parseNames(
    names,
    lists,
    namesOf,
    (name, hint) => `No address list of the ${what} ${quote(name)} is known.${hint}`,
  );
}

/** Each prefix once, with the operator of the first list that has it; IPv4 first. */
export function toOperators(lists: readonly PublishedList[]): ReadonlyMap<string, string> {
  const operators = new Map<string, string>();
  for (const isIpv6 of [false, true])
    for (const { operator, prefixes } of lists)
      for (const prefix of prefixes)
        if (prefix.includes(":") === isIpv6 && !operators.has(prefix)) operators.set(prefix, operator);
  return operators;
}
