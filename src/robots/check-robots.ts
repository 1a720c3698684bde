/** What a robots.txt says to each crawler, and whether that is what is expected of it. */
import type { Category, Purpose } from "../detect/categories.ts";
import { parseSelection, type SelectableCrawler, SelectionError, splitWords } from "../detect/policy/selection.ts";
import type { Robots } from "./crawler-rules.ts";
import { isPattern, type PathRules } from "./path-rules.ts";
import type { NamedCrawler } from "./robots-crawlers.ts";
import type { InParts, RobotsRule } from "./robots-file.ts";

/**
 * `allowed`: the path `/` is; `blocked`: no path is allowed; `partly`: `/` is not, and other paths are; `does not apply`: the operator
 * documents that robots.txt does not apply to the crawler.
 */
export type RobotsStatus = "allowed" | "partly" | "blocked" | "does not apply";

/** What a file says to one crawler. */
export interface CrawlerCheck {
  readonly name: string;
  readonly operator?: string;
  readonly category: Category;
  readonly purposes?: readonly Purpose[];
  readonly status: RobotsStatus;
  /** The token of the groups that apply: its own, the token of a crawler it falls back to, or `*`; absent: no group applies. */
  readonly group?: string;
  /** The line of the rule about `/`; absent: no rule matches it. */
  readonly line?: number;
  /** All rules that apply, in the order of the file. */
  readonly rules: readonly RobotsRule[];
  /** The operator's page that says which groups apply, if it is known. */
  readonly url?: string;
}

/** Checks a file for crawlers, in their order and in steps. The work is bounded, whatever the file contains. */
export function* checkCrawlers(robots: Robots, crawlers: readonly NamedCrawler[]): InParts<readonly CrawlerCheck[]> {
  const statusOf = createStatusFinder();
  const checks: CrawlerCheck[] = [];
  for (const crawler of crawlers) {
    checks.push(checkCrawler(robots, crawler, statusOf));
    yield;
  }
  return checks;
}

function checkCrawler(
  robots: Robots,
  crawler: NamedCrawler,
  statusOf: (applying: PathRules) => RobotsStatus,
): CrawlerCheck {
  const { name, operator, category, purposes, robotsRules } = crawler;
  const facts = { name, category, ...(operator && { operator }), ...(purposes && { purposes }) };
  const source = robotsRules && { url: robotsRules.url };
  if (robotsRules?.obeys === false) return { ...facts, status: "does not apply", rules: [], ...source };
  const applying = robots.rulesFor(crawler);
  const { token: group, rules } = applying;
  const line = applying.decide("/").rule?.line;
  return {
    ...facts,
    status: statusOf(applying),
    ...(group !== undefined && { group }),
    ...(line !== undefined && { line }),
    rules,
    ...source,
  };
}

/** This many comparisons of an Allow rule with a rule that may override it take a few milliseconds. */
const maxComparisons = 100_000;

/** Makes the function that finds a status. Once the comparisons are used up, an Allow rule is assumed to allow some path. */
function createStatusFinder(): (applying: PathRules) => RobotsStatus {
  // Crawlers that share groups share their rules, too.
  const statuses = new Map<readonly RobotsRule[], RobotsStatus>();
  let comparisons = maxComparisons;
  const isAnyAllowed = ({ rules, decideNormalized: decide }: PathRules): boolean => {
    if (decide(`/${anyText}`).isAllowed) return true;
    const tried = rules.filter(isPattern).length + 1;
    return rules.some(({ isAllowed, path }) => {
      if (!isAllowed) return false;
      comparisons -= tried;
      return comparisons < 0 || toExamples(path).some((example) => decide(example).isAllowed);
    });
  };
  return (applying) => {
    const { rules, decide } = applying;
    const status =
      statuses.get(rules) ?? (decide("/").isAllowed ? "allowed" : isAnyAllowed(applying) ? "partly" : "blocked");
    statuses.set(rules, status);
    return status;
  };
}

/** A character that no normalized rule contains: a rule that matches it in place of `*` matches any text there. */
const anyText = "\0";

/** Paths that a rule matches, one of which is allowed if any path is allowed by the rule. */
function toExamples(rule: string): string[] {
  const example = (rule.endsWith("$") ? rule.slice(0, -1) : `${rule}*`).replaceAll("*", anyText);
  if (rule.startsWith("/")) return [example];
  if (!rule.startsWith("*")) return [];
  const withoutStart = example.slice(anyText.length);
  return [`/${example}`, ...(withoutStart.startsWith("/") ? [withoutStart] : [])];
}

/** Further rules can be found in the file. */
const maxRules = 3;

/** The group and the first rules that apply, as one line of text; or the operator's page where robots.txt does not apply. */
export function describeRules({ status, group, line, rules, url }: CrawlerCheck): string {
  if (status === "does not apply") return url ?? "";
  if (group === undefined) return "no group applies";
  // The rule about / comes first.
  const ordered = rules.toSorted((one, other) => Number(other.line === line) - Number(one.line === line));
  const shown = ordered.slice(0, status === "blocked" ? 1 : maxRules);
  const texts = shown.map(({ line, isAllowed, text }) => `line ${line}: ${isAllowed ? "Allow" : "Disallow"}: ${text}`);
  const more = status === "blocked" || rules.length <= maxRules ? "" : `, and ${rules.length - maxRules} more`;
  return `group ${group}${texts.length === 0 ? ", no rules" : `, ${texts.join(", ")}${more}`}`;
}

const expectable = ["allowed", "partly", "blocked"] as const;

/** The status that is expected of a crawler, or undefined. */
export type Expectation = (crawler: SelectableCrawler) => RobotsStatus | undefined;

/**
 * Reads `ai:training=blocked,search-engine=allowed`: words of policies, each with a status. The last word that selects a crawler counts.
 * Throws SelectionError.
 */
export function parseExpectation(text: string, crawlers: readonly SelectableCrawler[]): Expectation {
  const rows = splitWords(text).map((pair) => {
    const at = pair.lastIndexOf("=");
    const status = expectable.find((status) => status === pair.slice(at + 1).trim());
    if (at < 1 || status === undefined)
      throw new SelectionError(
        `${JSON.stringify(pair)} must be a word with one of the statuses ${expectable.join(", ")}, such as ai:training=blocked.`,
      );
    return { status, isSelected: parseSelection(pair.slice(0, at).trim().replaceAll(",", "\\,"), crawlers) };
  });
  return (crawler) => rows.findLast(({ isSelected }) => isSelected(crawler))?.status;
}

/** Whether a status is the expected one: where robots.txt does not apply, everything is allowed. */
export function isExpected(status: RobotsStatus, expected: RobotsStatus): boolean {
  return status === expected || (status === "does not apply" && expected === "allowed");
}
