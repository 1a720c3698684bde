/** Decides for each request of a log whether the site's robots.txt disallows it; the decisions are remembered with the paths. */
import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import { createRobots, type RobotsCrawler } from "../../robots/crawler-rules.ts";
import type { PathRules } from "../../robots/path-rules.ts";
import { parseRobots } from "../../robots/robots-file.ts";
import { delayOf } from "./crawl-delay.ts";
import { type CrawlerFacts, manyOthers } from "./crawler-tally.ts";

/** The robots.txt that requests are compared with. Plain data: it is sent to threads. */
export interface RobotsTask {
  readonly text: string;
  /** Requests before this time, in seconds since 1970, are not violations; requests without a time can be. */
  readonly judgedFrom: number;
}

/** The rules of the crawlers that obey the same groups. */
export interface RuleSet {
  /** Whether the rules may decide differently about a path with a query. */
  readonly readsQuery: boolean;
  isDisallowed(target: Target): boolean;
}

/** A path, with or without its query, and what was decided about it: two bits for each of the first rule sets. */
export interface Target {
  readonly text: string;
  decisions: number;
}

/** As many as fit into a small integer of V8. */
const rememberedSets = 14;

/** The rules of a robots.txt for each crawler. */
export interface RuleSets {
  rulesOf(facts: CrawlerFacts): RuleSet;
  /** The delay in seconds that a crawler should keep, if its operator documents that it does. */
  delayOf(facts: CrawlerFacts): number | undefined;
}

/** Reads the file; `items` are the catalogue's, in the order of precedence. */
export function createRuleSets({ text }: RobotsTask, items: readonly ItemFacts[]): RuleSets {
  const robots = createRobots(parseRobots(text));
  const byName = new Map<string, RobotsCrawler>();
  for (const item of items) if (item.name !== undefined && !byName.has(item.name)) byName.set(item.name, item);
  const sets = new Map<readonly unknown[], RuleSet>();
  // Logs contain many strings of the same crawler.
  const known = new WeakMap<CrawlerFacts, RuleSet>();
  const toCrawler = ({ name, rule }: CrawlerFacts): RobotsCrawler => {
    const item = byName.get(name);
    if (item !== undefined && rule !== true) return item;
    // Names in brackets, such as the name of requests without a user agent, are this program's own.
    return name === manyOthers.name || name.startsWith("(") ? {} : { name };
  };
  return {
    rulesOf(facts) {
      const found = known.get(facts);
      if (found !== undefined) return found;
      const rules = robots.rulesFor(toCrawler(facts));
      let set = sets.get(rules.rules);
      if (set === undefined) {
        set = createRuleSet(rules, sets.size);
        sets.set(rules.rules, set);
      }
      known.set(facts, set);
      return set;
    },
    delayOf(facts) {
      const crawler = toCrawler(facts);
      return delayOf(robots.rulesFor(crawler), crawler);
    },
  };
}

function createRuleSet({ rules, decide }: PathRules, number: number): RuleSet {
  const isFree = rules.every(({ isAllowed }) => isAllowed);
  const shift = 2 * number;
  return {
    readsQuery: !isFree && rules.some(({ path }) => /[*$?]/.test(path)),
    isDisallowed(target) {
      if (isFree) return false;
      if (number >= rememberedSets) return !decide(target.text).isAllowed;
      const known = (target.decisions >> shift) & 3;
      if (known !== 0) return known === 2;
      const { isAllowed } = decide(target.text);
      target.decisions |= (isAllowed ? 1 : 2) << shift;
      return !isAllowed;
    },
  };
}
