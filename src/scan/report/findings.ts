/** What needs action, in order of importance: one function per rule. docs/scan.md has the minimums in one table. */

import { groupBy } from "../../text/group-by.ts";
import { remedies } from "../count/hidden-agents.ts";
import { sumOf } from "../count/sums.ts";
import { type ComparedCrawler, type Comparison, ofStatus } from "./comparison.ts";
import { clientErrors, refusalsOf, requestsWith } from "./crawler-section.ts";
import type { CrawlerReport } from "./report.ts";
import {
  type Span,
  toCount,
  toEstimate,
  toHour,
  toList,
  toPeriodOf,
  toRequests,
  toShare,
  toSize,
} from "./report-text.ts";
import { type ReportView, toWarnings } from "./report-view.ts";
import { crawlersExceedingDelay, toRobotsSentences, violatingCrawlers } from "./robots-report.ts";

/** A sentence with its figure, and its period if that is not the report's. */
export interface Finding {
  readonly id: keyof typeof rules | "nothing";
  readonly text: string;
  /** Who, what and how many: the sentence without its period and explanation. */
  readonly short: string;
  /** The id of the section that has more. */
  readonly section?: string;
  /** Whether it needs action: `--exit-code` reports it. */
  readonly isAlarm: boolean;
}

/** What a rule finds: a sentence without its end, in which times, and what else is to be said. */
interface Found {
  readonly short: string;
  readonly spans?: readonly Span[];
  readonly more?: string;
}

/** The least number of requests (or as the rule says), and the least share of what the rule compares them with. */
interface Least {
  readonly least: number;
  readonly share?: number;
}

type Rule = (view: ReportView, minimum: Least) => readonly Found[];

const burstFactor = 10;
const minGrown = 100;
const grownPercent = 900;

const maxFindings = 10;
/** The maximum number of sentences per rule, and of paths per sentence. */
const maxOfRule = 3;

/** Crawlers of these categories look for pages, and a refusal is a loss for the site. */
const wanted: ReadonlySet<string> = new Set(["search-engine", "preview"]);
/** Crawlers of these categories request paths that no page links to. */
const probing: ReadonlySet<string> = new Set(["security", "library", "automation", "other"]);

/** The rules with their minimums, most important first; the first four are alarms. */
const rules = {
  "crawler-errors": { find: findErrors, least: 20, share: 0.05, section: "crawlers", isAlarm: true },
  "robots-errors": { find: findRobotsErrors, least: 3, share: 0.1, section: "crawlers", isAlarm: true },
  spoofed: { find: findSpoofed, least: 20, section: "verification", isAlarm: true },
  disobedience: { find: findDisobedience, least: 10, section: "robots", isAlarm: true },
  "hidden-agents": { find: findHiddenAgents, least: 10, share: 0.5, section: "crawlers", isAlarm: false },
  burst: { find: findBursts, least: 200, section: "crawlers", isAlarm: false },
  news: { find: findNews, least: 10, section: "changes", isAlarm: false },
  // Bytes.
  bytes: { find: findBytes, least: 10_000_000, share: 1 / 3, section: "bytes", isAlarm: false },
  "client-errors": { find: findClientErrors, least: 50, share: 0.1, section: "errors", isAlarm: false },
  // Strings: each needs 500 requests.
  programs: { find: findPrograms, least: 1, section: "browsers", isAlarm: false },
  "crawler-addresses": {
    ...{ find: findCrawlerAddresses, least: 100, share: 0.01 },
    ...{ section: "crawler-addresses", isAlarm: false },
  },
  cdn: { find: findCdn, least: 10, share: 0.1, section: "crawler-networks", isAlarm: false },
  "no-visits": { find: findNoVisits, least: 1000, section: "referrals", isAlarm: false },
} as const satisfies Readonly<Record<string, Least & { find: Rule; section: string; isAlarm: boolean }>>;

/** At most ten findings; one that says so if nothing needs action. */
export function toFindings(view: ReportView): readonly Finding[] {
  const { period } = view.report;
  const days = toPeriodOf({ first: period?.from, last: period?.to });
  const found = Object.entries(rules).flatMap(([id, { find, section, isAlarm, ...minimum }]) =>
    find(view, minimum)
      .slice(0, maxOfRule)
      .map(({ short, spans = [], more }) => {
        const own = toPeriodOf(...spans);
        const when = spans.length === 0 || own === days ? "" : `, ${own}`;
        const text = `${short}${when}.${more === undefined ? "" : ` ${more}`}`;
        return { id: id as keyof typeof rules, text, short, section, isAlarm };
      }),
  );
  if (found.length > 0) return found.slice(0, maxFindings);
  const text = toNothing(view);
  return [{ id: "nothing", text, short: text, isAlarm: false }];
}

/** That nothing needs action, unless there was nothing to look at or a part could not be looked at, and which crawlers are new. */
export function toNothing({ report, comparison }: ReportView): string {
  const { requests, filter, crawlers, verificationBasis } = report;
  if (requests === 0) return filter?.excluded ? "No request matches the filter." : "The log has no requests.";
  const missing = [
    ...(verificationBasis ? [] : ["--verify"]),
    ...(crawlers.some(({ robots }) => robots) ? [] : ["--robots"]),
  ];
  return [
    toWarnings(report).length === 0
      ? "Nothing needs action."
      : "Nothing that needs action was found, but not everything could be read or checked.",
    ...toNewCrawlers(comparison).map((text) => `${text}.`),
    ...(crawlers.length === 0 || missing.length === 0 ? [] : [`${missing.join(" and ")} would check more.`]),
  ].join(" ");
}

function reaches(count: number, all: number, { least, share = 0 }: Least): boolean {
  return count >= Math.max(least, share * all);
}

/** `24 of 99 requests (24.2%)`. */
function toPart(some: number, all: number): string {
  return `${toCount(some)} of ${toRequests(all)} (${toShare(some, all)})`;
}

/** A crawler that the site wants was refused, or met errors. Without verification, refused requests may be an imitator's. */
function findErrors({ report: { crawlers } }: ReportView, minimum: Least): readonly Found[] {
  return crawlers
    .filter(({ category, rule }) => wanted.has(category) && !rule)
    .map((crawler) => {
      const { verification, verifiedErrors = 0, verifiedRefused = 0, statuses, requests } = crawler;
      const isVerified = verification !== undefined;
      const errors = isVerified ? verifiedErrors : requestsWith(statuses, /^5/);
      return { crawler, isVerified, errors, refused: verifiedRefused, all: verification?.verified ?? requests };
    })
    .filter(({ errors, refused, all }) => reaches(errors + refused, all, minimum))
    .sort((one, other) => other.errors + other.refused - one.errors - one.refused)
    .map(({ crawler, isVerified, errors, refused, all }) => {
      const whose = isVerified ? `verified requests by ${crawler.name}` : `requests in ${crawler.name}'s name`;
      const what = [
        ...(errors > 0 ? [`${toCount(errors)} got 5xx`] : []),
        ...(refused > 0 ? [`${toCount(refused)} were blocked with 403 or 429`] : []),
      ].join(" and ");
      return { short: `Of ${toCount(all)} ${whose}, ${what} (${toShare(errors + refused, all)})`, spans: [crawler] };
    });
}

/** A search engine stops crawling where robots.txt is answered with errors. */
function findRobotsErrors({ report: { crawlers } }: ReportView, minimum: Least): readonly Found[] {
  const affected = crawlers
    .filter(({ category, purposes, rule }) => (category === "search-engine" || purposes.includes("search")) && !rule)
    .map((crawler) => ({ ...crawler, refused: refusalsOf(crawler.robotsStatuses) }))
    .filter(({ refused, robotsTxt }) => reaches(refused, robotsTxt, minimum));
  if (affected.length === 0) return [];
  const named = affected.map(({ name, refused, robotsTxt }) => `${name} ${toCount(refused)} of ${toCount(robotsTxt)}`);
  const short = `Requests for robots.txt got 5xx or 403: ${toList(named)}`;
  return [{ short, spans: affected, more: "A search engine may then stop crawling." }];
}

function findSpoofed({ report: { crawlers } }: ReportView, { least }: Least): readonly Found[] {
  const spoofedOf = ({ verification }: CrawlerReport): number => verification?.spoofed ?? 0;
  const imitated = crawlers
    .filter((crawler) => spoofedOf(crawler) >= least)
    .sort((one, other) => spoofedOf(other) - spoofedOf(one));
  if (imitated.length === 0) return [];
  const named = toList(imitated.map((crawler) => `${crawler.name} ${toCount(spoofedOf(crawler))}`));
  const short = `${toRequests(sumOf(imitated, spoofedOf))} in the name of known crawlers are spoofed: ${named}`;
  return [{ short, spans: imitated }];
}

/** Disallowed paths, and the Crawl-delay: each only if a crawler reaches the minimum. */
function findDisobedience({ report: { crawlers } }: ReportView, { least }: Least): readonly Found[] {
  const { paths, delay } = toRobotsSentences(crawlers) ?? {};
  const disobeying = violatingCrawlers(crawlers).filter(({ robots }) => robots.disallowed >= least);
  const hurrying = crawlersExceedingDelay(crawlers).filter(({ robots }) => robots.crawlDelay!.exceeding >= least);
  return [
    ...(disobeying.length > 0 ? [{ short: paths!, spans: disobeying }] : []),
    ...(hurrying.length > 0 ? [{ short: delay!, spans: hurrying }] : []),
  ];
}

/** A proxy hides the user agents of most clients, so the report tells little. */
function findHiddenAgents({ report }: ReportView, minimum: Least): readonly Found[] {
  const { hiddenAgents = [], requests: all } = report;
  return hiddenAgents
    .filter(({ requests }) => reaches(requests, all, minimum))
    .map(({ useragent, requests }) => ({
      short: `${toPart(requests, all)} have the user agent ${useragent}, which hides who sent them`,
      more: `To see the clients' user agents, ${remedies.get(useragent)}.`,
    }));
}

function findBursts({ report: { crawlers, hasSizes, timezone } }: ReportView, { least }: Least): readonly Found[] {
  return crawlers
    .flatMap(({ name, peak }) => (peak === undefined ? [] : { name, ...peak }))
    .filter(({ requests, medianRequests }) => requests >= Math.max(least, burstFactor * Math.max(1, medianRequests)))
    .sort((one, other) => other.requests - one.requests)
    .map(({ name, from, requests, bytes, medianRequests }) => ({
      short: toBurst(name, `${toRequests(requests)} in an hour`, "its median hour", medianRequests),
      more: `The hour was ${toHour(from, timezone)}${hasSizes ? `, with ${toSize(bytes)}` : ""}.`,
    }));
}

/** A burst of a crawler, compared with another hour. */
export function toBurst(name: string, what: string, other: string, requests: number): string {
  return `${name} made ${what}; ${other} has ${toCount(requests)}`;
}

function findNews({ comparison }: ReportView, { least }: Least): readonly Found[] {
  const { crawlers = [] } = comparison ?? {};
  const isNews = ofStatus(crawlers, "new").some(({ requests: { now } }) => now >= least);
  const grown = crawlers.filter(({ requests: { now, percent = 0 } }) => now >= minGrown && percent >= grownPercent);
  return [
    ...(isNews ? toNewCrawlers(comparison).map((short) => ({ short })) : []),
    ...(grown.length === 0
      ? []
      : [{ short: `Ten times as many requests a day as before: ${toList(grown.map(withRequests))}` }]),
  ];
}

/** `GPTBot (12 requests)`. */
function withRequests({ name, requests: { now } }: ComparedCrawler): string {
  return `${name} (${toRequests(now)})`;
}

/** Names the crawlers that are new, if there are any. */
function toNewCrawlers(comparison: Comparison | undefined): readonly string[] {
  const fresh = ofStatus(comparison?.crawlers ?? [], "new");
  return fresh.length === 0 ? [] : [toNews(toCount(fresh.length), fresh.map(withRequests))];
}

/** How many crawlers are new, each with its requests, such as `GPTBot (12 requests)`. */
export function toNews(count: string, named: readonly string[]): string {
  return `${count} ${count === "1" ? "crawler is" : "crawlers are"} new: ${toList(named)}`;
}

/** Not in a log of crawlers alone, or with a filter that selects them. */
function findBytes({ report }: ReportView, minimum: Least): readonly Found[] {
  const { crawlers, bytes: all, requests, crawlerRequests } = report;
  if (requests === crawlerRequests) return [];
  return crawlers
    .filter(({ bytes }) => reaches(bytes, all, minimum))
    .map((crawler) => ({
      short: `${crawler.name} got ${toSize(crawler.bytes)}, ${toShare(crawler.bytes, all)} of all bytes`,
      spans: [crawler],
    }));
}

/**
 * A crawler that requests what the site does not have, and its paths. Scanners do so on purpose: they try many paths, each a few times.
 * 401, 403 and 429 are the site's own decision.
 */
function findClientErrors({ report }: ReportView, minimum: Least): readonly Found[] {
  return report.crawlers
    .map((crawler) => ({ crawler, errors: requestsWith(crawler.statuses, clientErrors), paths: crawler.clientErrors }))
    .filter(({ crawler, errors }) => reaches(errors, crawler.requests, minimum))
    .filter(
      ({ crawler: { category, rule }, errors, paths: [most] }) =>
        !(rule || probing.has(category)) || (most?.requests ?? 0) >= errors / 2,
    )
    .sort((one, other) => other.errors - one.errors)
    .map(({ crawler, errors, paths }) => {
      const named = paths
        .slice(0, maxOfRule)
        .map(({ path, requests }) => `${path} (${toEstimate(requests, crawler.pathsExact)})`);
      return {
        short: `${crawler.name} got client errors for ${toPart(errors, crawler.requests)}`,
        spans: [crawler],
        more: `Most 4xx: ${named.join(", ")}.`,
      };
    });
}

function findPrograms({ report }: ReportView, { least }: Least): readonly Found[] {
  const marked = report.browsers?.strings.filter(({ isProgram }) => isProgram) ?? [];
  if (marked.length < least) return [];
  const strings = marked.length === 1 ? "1 browser string behaves" : `${toCount(marked.length)} browser strings behave`;
  const requests = toRequests(sumOf(marked, ({ requests }) => requests));
  return [{ short: `${strings} like a program: ${requests}`, spans: marked }];
}

/** People's strings from crawlers' addresses. Why a crawler sends such a string is not known. */
function findCrawlerAddresses({ report }: ReportView, minimum: Least): readonly Found[] {
  const { crawlerAddresses = [], requests: all, crawlerRequests } = report;
  const people = all - crawlerRequests;
  const requests = sumOf(crawlerAddresses, ({ requests }) => requests);
  if (!reaches(requests, people, minimum)) return [];
  const named = [...groupBy(crawlerAddresses, ({ operator }) => operator)].map(
    ([operator, lists]) => `${operator} ${toCount(sumOf(lists, ({ requests }) => requests))}`,
  );
  return [
    {
      short: `${toPart(requests, people)} with browsers' strings came from crawlers' addresses: ${toList(named)}`,
      spans: crawlerAddresses,
    },
  ];
}

/** The log has the addresses of a CDN in place of its clients'. */
function findCdn({ report }: ReportView, minimum: Least): readonly Found[] {
  const checked = report.crawlers.filter(({ verification }) => verification !== undefined);
  const requests = sumOf(checked, ({ requests }) => requests);
  const ofCdns = sumOf(checked, ({ networks }) => networks?.cdn ?? 0);
  if (!reaches(ofCdns, requests, minimum)) return [];
  return [
    {
      short: `${toPart(ofCdns, requests)} by known crawlers have addresses of CDNs`,
      spans: checked,
      more: "To verify crawlers, log the clients' addresses, such as CF-Connecting-IP; if X-Forwarded-For is logged, set --trust-proxy.",
    },
  ];
}

/** AI crawlers whose operator's pages and apps sent no visit. */
function findNoVisits({ report: { referrals, crawlers } }: ReportView, { least }: Least): readonly Found[] {
  const silent = (referrals?.operators ?? [])
    .filter(({ visits }) => visits === 0)
    .map(({ operator }) => ({
      operator,
      own: crawlers.filter((crawler) => crawler.operator === operator && crawler.category === "ai"),
    }))
    .map((one) => ({ ...one, fetches: sumOf(one.own, ({ requests }) => requests) }))
    .filter(({ fetches }) => fetches >= least)
    .sort((one, other) => other.fetches - one.fetches);
  if (silent.length === 0) return [];
  const named = toList(silent.map(({ operator, fetches }) => `${operator} ${toCount(fetches)}`));
  return [
    {
      short: `AI crawlers fetched pages, but their operators sent no visitors: ${named} requests`,
      spans: silent.flatMap(({ own }) => own),
    },
  ];
}
