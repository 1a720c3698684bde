/**
 * Joins our entries with the list of the npm package crawler-user-agents. Ours take precedence. The package's other entries
 * are added, with the corrections of `data/upstream.yaml`. Names and operators that the package lacks are derived here, operators
 * with `data/host-operators.yaml`.
 */

import type { Category } from "../../detect/categories.ts";
import { PatternError, parseDataPattern } from "../../pattern/parse.ts";
import { toRegExp } from "../../pattern/print.ts";
import { repeatProblem } from "../../pattern/repeats.ts";
import type { Tree } from "../../pattern/tree.ts";
import type { Entry } from "../entry.ts";
import type { Correction, HostOperator } from "./schemas.ts";
import type { Located } from "./yaml.ts";

/** An item of the package's JSON list. */
export interface UpstreamEntry {
  readonly pattern: string;
  readonly url?: string;
  readonly instances: readonly string[];
  readonly tags?: readonly string[];
}

/**
 * The package's tags, the most specific first. Not `seo`, which covers crawlers of every kind: data/upstream.yaml lists the reviewed ones.
 */
const categoryOfTag: ReadonlyMap<string, Category> = new Map([
  ["ai-crawler", "ai"],
  ["search-engine", "search-engine"],
  ["social-preview", "preview"],
  ["advertising", "advertising"],
  ["scanner", "security"],
  ["monitoring", "monitor"],
  ["archiver", "archive"],
  ["feed-reader", "feed"],
  ["academic", "research"],
  ["browser-automation", "automation"],
  ["http-library", "library"],
]);

/** The key of a name: names that differ only in case, blanks or punctuation are the same crawler. */
export const nameKey = (name: string): string => name.toLowerCase().replace(/[^a-z0-9.]/g, "");

/** Returns all entries; adds problems with the corrections to `problems`. */
export function join(
  own: readonly Entry[],
  upstream: readonly UpstreamEntry[],
  corrections: readonly Located<Correction>[],
  hostOperators: readonly Located<HostOperator>[],
  problems: string[],
): Entry[] {
  const operatorOfHost = operatorsOf(hostOperators, problems);
  const byPattern = new Map<string, Located<Correction>>();
  for (const correction of corrections) {
    if (byPattern.has(correction.value.pattern))
      problems.push(`${correction.source}: a second correction of the same pattern`);
    byPattern.set(correction.value.pattern, correction);
  }
  const ours = new Map<string, Entry>(own.map((entry) => [nameKey(entry.name), entry]));
  const theirs = new Map<string, Entry>();
  for (const item of upstream) {
    const correction = byPattern.get(item.pattern)?.value;
    byPattern.delete(item.pattern);
    if (correction?.drop) continue;
    const entry = toEntry(item, correction, operatorOfHost, problems);
    if (!entry) continue;
    const key = nameKey(entry.name);
    const ourEntry = ours.get(key);
    const theirEntry = theirs.get(key);
    if (ourEntry) ours.set(key, withInstances(ourEntry, entry.instances));
    else if (theirEntry) theirs.set(key, merged(theirEntry, entry));
    else theirs.set(key, entry);
  }
  for (const { value, source } of byPattern.values())
    problems.push(`${source}: crawler-user-agents no longer has the pattern ${value.pattern}; remove the correction`);
  return [...ours.values(), ...theirs.values()];
}

/** The operator of each host; undefined for hosts that publish for others. */
type OperatorOfHost = ReadonlyMap<string, string | undefined>;

function operatorsOf(hostOperators: readonly Located<HostOperator>[], problems: string[]): OperatorOfHost {
  const operators = new Map<string, string | undefined>();
  for (const { value, source } of hostOperators)
    for (const host of value.hosts) {
      if (operators.has(host)) problems.push(`${source}: the host ${host} is listed twice`);
      operators.set(host, value.operator);
    }
  return operators;
}

function toEntry(
  item: UpstreamEntry,
  correction: Correction | undefined,
  operatorOfHost: OperatorOfHost,
  problems: string[],
): Entry | undefined {
  const source = `crawler-user-agents: ${item.pattern}`;
  const pattern = correction?.use ?? item.pattern;
  const tree = portableTree(pattern);
  if (typeof tree === "string") {
    problems.push(`${source}: ${tree}; say what to use instead in data/upstream.yaml`);
    return undefined;
  }
  const expression = toRegExp(tree);
  const instances = item.instances.filter((instance) => expression.test(instance));
  const { operator, maker, category = categoryOf(item.tags ?? []) } = correction ?? {};
  if (category === "library" && operator !== undefined)
    problems.push(`${source}: a library has no operator, because anyone runs it; write maker in data/upstream.yaml`);
  // For a program that anyone can run, the site is at best the maker's.
  const isOfSite = category !== "library" && operator === undefined && maker === undefined;
  return {
    name: correction?.name ?? nameOf(pattern, expression, instances),
    pattern,
    ...(operator === undefined ? {} : { operator }),
    ...(isOfSite ? operatorOfPage(item.url, operatorOfHost) : {}),
    ...(maker === undefined ? {} : { maker }),
    category,
    ...(correction?.purposes === undefined ? {} : { purposes: correction.purposes }),
    ...(item.url === undefined ? {} : { url: item.url }),
    examples: [],
    instances,
    source,
  };
}

/** The tree of a pattern, or what keeps it from being portable and linear. */
function portableTree(pattern: string): Tree | string {
  try {
    const tree = parseDataPattern(pattern, { shorthands: true });
    return repeatProblem(tree) ?? tree;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}

/** The name: a plain pattern itself, or the match of an expression in the first example. */
function nameOf(pattern: string, expression: RegExp, examples: readonly string[]): string {
  const literal = pattern.replace(/\\([^a-zA-Z])/g, "$1");
  const plain = !/[\\^$*+?()[\]{}|]/.test(pattern.replace(/\\[^a-zA-Z]/g, ""));
  const name = plain ? literal : (examples.map((example) => expression.exec(example)?.[0]).find(Boolean) ?? literal);
  // linear: reads only text of this package
  return withoutOpenBracket(name).replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9)!.]+$/g, "") || literal;
}

/** Removes an unpaired bracket from a name: a pattern may end within a comment, or with the bracket that closes it. */
function withoutOpenBracket(name: string): string {
  const open = name.lastIndexOf("(");
  if (open < 0) return name.replace(/\)$/, "");
  return name.includes(")", open) ? name : name.slice(0, open);
}

function categoryOf(tags: readonly string[]): Category {
  for (const [tag, category] of categoryOfTag) if (tags.includes(tag)) return category;
  return "other";
}

/** The operator of a crawler's page: the operator of its host, or else the host without `www.`; empty for hosts with content of others. */
function operatorOfPage(
  url: string | undefined,
  operatorOfHost: OperatorOfHost,
): Pick<Entry, "operator" | "operatorDerived"> {
  if (url === undefined || !URL.canParse(url)) return {};
  const host = new URL(url).hostname.replace(/^www\d?\./, "");
  // An IP address tells nothing, because it may be rented.
  if (/^[\d.]+$|^\[/.test(host)) return {};
  const labels = host.split(".");
  const listed = labels.map((_, i) => labels.slice(i).join(".")).find((above) => operatorOfHost.has(above));
  if (listed === undefined) return { operator: host, operatorDerived: true };
  const operator = operatorOfHost.get(listed);
  return operator === undefined ? {} : { operator };
}

/** Merges two patterns of the package for the same crawler into one entry. */
function merged(first: Entry, second: Entry): Entry {
  if (first.pattern === second.pattern) return withInstances(first, second.instances);
  return withInstances({ ...first, pattern: `${first.pattern}|${second.pattern}` }, second.instances);
}

function withInstances(entry: Entry, instances: readonly string[]): Entry {
  const expression = toRegExp(parseDataPattern(entry.pattern, { shorthands: true }));
  const matching = instances.filter((instance) => expression.test(instance));
  return { ...entry, instances: [...new Set([...entry.instances, ...matching])] };
}
