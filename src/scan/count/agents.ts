/** Finds the crawler of a user agent, under which its requests are counted. */
import { once } from "../../cache/once.ts";
import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import { copyStatedFacts } from "../../detect/facts.ts";
import { entryOf } from "../../detect/matched-entry.ts";
import type { CrawlerVerdict, Verdict } from "../../detect/verdict.ts";
import { isOtherField } from "../lines/value-kind.ts";
import { type BrowserString, browserStringOf, isBrowserString } from "./browser-strings.ts";
import { type CrawlerFacts, type CrawlerTally, createCrawlerTally, keyOf, manyOthers } from "./crawler-tally.ts";
import { remedies } from "./hidden-agents.ts";
import { selectsCrawler } from "./request-filter.ts";
import type { RuleSet, RuleSets } from "./robots-rules.ts";
import type { ScanTask } from "./scan-task.ts";
import type { Tally } from "./tally.ts";

/** A user agent of a log; `crawler` is where its requests are counted, undefined for a person's. */
export interface Agent {
  readonly crawler: CrawlerTally | undefined;
  /** Present only if lines are annotated and there was a user agent, because verdicts would take up most of the cache. */
  readonly verdict: Verdict | undefined;
  /** What robots.txt says to the crawler, if that is asked for. */
  readonly rules?: RuleSet | undefined;
  /** Where the behavior of a browser's string is counted, if that is asked for. */
  readonly browser?: BrowserString | undefined;
  /** The string of a proxy that hides its clients' user agents. */
  readonly hidden?: string | undefined;
  /** Whether the user agent looks like another field of a log. */
  readonly isUnlikely?: true;
}

/** Decides about user agents. */
export interface Checker {
  readonly check: (useragent: string) => Verdict;
  /** Whether a verdict was made by a rule, so that no entry knows the crawler. */
  readonly isByRule: (verdict: CrawlerVerdict) => boolean;
}

/** Makes `isByRule` of a catalogue's entries and rules, which are read when it is first called. */
export function createIsByRule(items: () => readonly Pick<ItemFacts, "name" | "pattern">[]): Checker["isByRule"] {
  const patterns = once(() => new Set(items().flatMap(({ name, pattern }) => (name === undefined ? pattern : []))));
  return ({ pattern }) => patterns().has(pattern);
}

/** Stands for all user agents of people, if the report needs no details. */
export const person: Agent = { crawler: undefined, verdict: undefined };

/** Stands for everything that a filter excludes. */
export const excluded: Agent = { crawler: undefined, verdict: undefined };

/** Anyone can invent crawler names: beyond this number, crawlers known only by a rule are counted together. */
const maxCrawlers = 4000;
const maxNameLength = 100;

/** Makes the function that returns the counts in `tally` for a user agent; `ruleSets` are the rules of robots.txt. */
export function createAgents(
  tally: Tally,
  { check, isByRule }: Checker,
  { verify = false, annotate = false, filter = {} }: ScanTask,
  ruleSets: RuleSets | undefined,
): (useragent: string) => Agent {
  const selects = selectsCrawler(filter);
  const wanted = new Set(filter.crawlers?.map((name) => name.toLowerCase()));
  const { browsers } = tally;
  const toAgent = (crawler: CrawlerTally, verdict: Verdict | undefined): Agent => ({
    crawler,
    verdict,
    rules: ruleSets?.rulesOf(crawler.facts),
  });
  const add = (facts: CrawlerFacts, addresses: boolean): CrawlerTally => {
    const crawler = createCrawlerTally(facts, {
      addresses,
      robots: ruleSets !== undefined,
      delay: ruleSets?.delayOf(facts),
    });
    tally.crawlers.set(keyOf(facts), crawler);
    return crawler;
  };
  const agentOf = (useragent: string): Agent => {
    const found = check(useragent);
    const verdict = annotate ? found : undefined;
    if (!found.crawler) {
      if (selects !== undefined) return excluded;
      if (remedies.has(useragent)) return { crawler: undefined, verdict, hidden: useragent };
      if (browsers !== undefined && isBrowserString(useragent))
        return { crawler: undefined, verdict, browser: browserStringOf(browsers, useragent) };
      return annotate ? { crawler: undefined, verdict } : person;
    }
    const facts = isMissing(useragent) ? withoutUserAgent : toFacts(found, isByRule(found));
    const name = facts.name.toLowerCase();
    if (wanted.has(name)) tally.seenNames.add(name);
    if (selects !== undefined && !selects(facts)) return excluded;
    const key = keyOf(facts);
    const known = tally.crawlers.get(key);
    if (known !== undefined) return toAgent(known, verdict);
    if (facts.rule && tally.crawlers.size >= maxCrawlers && facts.name !== manyOthers.name) {
      return toAgent(tally.crawlers.get(keyOf(manyOthers)) ?? add(manyOthers, false), verdict);
    }
    return toAgent(add(facts, verify && !facts.rule && facts !== withoutUserAgent), verdict);
  };
  return (useragent) => {
    const agent = agentOf(useragent);
    return agent !== excluded && isOtherField(useragent) ? { ...agent, isUnlikely: true } : agent;
  };
}

/** Requests without a user agent have no entry and no rule. */
const withoutUserAgent: CrawlerFacts = { name: "(no user agent)", category: "other", purposes: [] };

/** Logs write a hyphen if there is no user agent. */
function isMissing(useragent: string): boolean {
  return useragent === "" || useragent === "-";
}

function toFacts(verdict: CrawlerVerdict, rule: boolean): CrawlerFacts {
  const { purposes = [] } = verdict;
  const name = entryOf(verdict) ?? "(no name)";
  return {
    name: name.slice(0, maxNameLength),
    ...copyStatedFacts(verdict),
    purposes,
    ...(rule && { rule }),
  };
}
