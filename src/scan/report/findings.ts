/** What needs action, in order of importance: one function per rule. docs/scan.md has the thresholds in one table. */

import { groupBy } from "../../text/group-by.ts";
import { remedies } from "../count/hidden-agents.ts";
import { sumOf } from "../count/sums.ts";
import { type ComparedCrawler, ofStatus } from "./comparison.ts";
import { refusalsOf } from "./crawler-section.ts";
import type { CrawlerReport, Report } from "./report.ts";
import { toCount, toEstimate, toHour, toPeriodOf, toRequests, toShare, toSize } from "./report-text.ts";
import type { ReportView } from "./report-view.ts";
import { toRobotsSentence } from "./robots-report.ts";

/** A sentence with its figure and period. */
export interface Finding {
  readonly id: keyof typeof rules | "nothing";
  readonly text: string;
  /** The id of the section that has more. */
  readonly section?: string;
  /** Whether `--exit-code` reports it. */
  readonly isAlarm: boolean;
}

type Rule = (view: ReportView) => readonly string[];

const minErrors = 20;
const minErrorShare = 0.05;
const minRobotsShare = 0.1;
const minSpoofed = 20;
const minDisobeying = 10;
const minBurst = 200;
const burstFactor = 10;
const minGrown = 100;
const grownPercent = 900;
const minByteShare = 1 / 3;
const minClientErrors = 50;
const minClientErrorShare = 0.1;
const minFetches = 1000;
const minHiddenShare = 0.5;
const minFromCrawlers = 100;
const minFromCrawlersShare = 0.01;
const minOfCdns = 10;
const minCdnShare = 0.1;

const maxFindings = 10;
/** The maximum number of sentences per rule, and of names per sentence. */
const maxOfRule = 3;

/** Crawlers of these categories look for pages, and a refusal is a loss for the site. */
const wanted: ReadonlySet<string> = new Set(["search-engine", "preview"]);
/** Crawlers of these categories request paths that no page links to. */
const probing: ReadonlySet<string> = new Set(["security", "library", "automation", "other"]);

/** The rules, most important first; the first four are alarms. */
const rules = {
  "crawler-errors": { find: findErrors, section: "crawlers", isAlarm: true },
  "robots-errors": { find: findRobotsErrors, section: "crawlers", isAlarm: true },
  spoofed: { find: findSpoofed, section: "verification", isAlarm: true },
  disobedience: { find: findDisobedience, section: "robots", isAlarm: true },
  "hidden-agents": { find: findHiddenAgents, section: "crawlers", isAlarm: false },
  burst: { find: findBursts, section: "crawlers", isAlarm: false },
  news: { find: findNews, section: "changes", isAlarm: false },
  bytes: { find: findBytes, section: "bytes", isAlarm: false },
  "client-errors": { find: findClientErrors, section: "errors", isAlarm: false },
  programs: { find: findPrograms, section: "browsers", isAlarm: false },
  "crawler-addresses": { find: findCrawlerAddresses, section: "crawler-addresses", isAlarm: false },
  cdn: { find: findCdn, section: "crawler-networks", isAlarm: false },
  "no-visits": { find: findNoVisits, section: "referrals", isAlarm: false },
} as const satisfies Readonly<Record<string, { find: Rule; section: string; isAlarm: boolean }>>;

/** At most ten findings; one that says so if nothing needs action. */
export function toFindings(view: ReportView): readonly Finding[] {
  const found = Object.entries(rules).flatMap(([id, { find, section, isAlarm }]) =>
    find(view)
      .slice(0, maxOfRule)
      .map((text) => ({ id: id as keyof typeof rules, text, section, isAlarm })),
  );
  if (found.length > 0) return found.slice(0, maxFindings);
  const { crawlers, verificationBasis } = view.report;
  const missing = [
    ...(verificationBasis ? [] : ["--verify"]),
    ...(crawlers.some(({ robots }) => robots) ? [] : ["--robots"]),
  ];
  const more = crawlers.length === 0 || missing.length === 0 ? "" : ` ${missing.join(" and ")} would check more.`;
  return [{ id: "nothing", text: `Nothing needs action.${more}`, isAlarm: false }];
}

/** A crawler that the site wants was refused, or met errors. Without verification, refused requests may be an imitator's. */
function findErrors({ report: { crawlers } }: ReportView): readonly string[] {
  return crawlers
    .filter(({ category, rule }) => wanted.has(category) && !rule)
    .map((crawler) => {
      const { verification, verifiedErrors = 0, verifiedRefused = 0, statuses, requests } = crawler;
      const isVerified = verification !== undefined;
      const errors = isVerified ? verifiedErrors : sumOf(errorsOf(statuses), ([, count]) => count);
      return { crawler, isVerified, errors, refused: verifiedRefused, all: verification?.verified ?? requests };
    })
    .filter(({ errors, refused, all }) => errors + refused >= Math.max(minErrors, minErrorShare * all))
    .sort((one, other) => other.errors + other.refused - one.errors - one.refused)
    .map(({ crawler, isVerified, errors, refused, all }) => {
      const whose = isVerified ? `verified requests by ${crawler.name}` : `requests in ${crawler.name}'s name`;
      const what = [
        ...(errors > 0 ? [`${toCount(errors)} were answered with 5xx`] : []),
        ...(refused > 0 ? [`${toCount(refused)} were blocked with 403 or 429`] : []),
      ].join(" and ");
      return `Of ${toCount(all)} ${whose}, ${what}: ${toShare(errors + refused, all)}, ${toPeriodOf(crawler)}.`;
    });
}

function errorsOf(statuses: CrawlerReport["statuses"]): readonly (readonly [code: string, requests: number])[] {
  return Object.entries(statuses).filter(([code]) => code.startsWith("5"));
}

/** A search engine stops crawling where robots.txt is answered with errors. */
function findRobotsErrors({ report: { crawlers } }: ReportView): readonly string[] {
  const affected = crawlers
    .filter(({ category, purposes, rule }) => (category === "search-engine" || purposes.includes("search")) && !rule)
    .map((crawler) => ({ ...crawler, refused: refusalsOf(crawler.robotsStatuses) }))
    .filter(({ refused, robotsTxt }) => refused > 0 && refused >= minRobotsShare * robotsTxt);
  if (affected.length === 0) return [];
  const named = affected.map(({ name, refused, robotsTxt }) => `${name} ${toCount(refused)} of ${toCount(robotsTxt)}`);
  return [
    `Requests for robots.txt were answered with 5xx or 403, after which a search engine may stop crawling: ${toList(named)} fetches, ${toPeriodOf(...affected)}.`,
  ];
}

function findSpoofed({ report: { crawlers } }: ReportView): readonly string[] {
  const spoofedOf = ({ verification }: CrawlerReport): number => verification?.spoofed ?? 0;
  const imitated = crawlers
    .filter((crawler) => spoofedOf(crawler) >= minSpoofed)
    .sort((one, other) => spoofedOf(other) - spoofedOf(one));
  if (imitated.length === 0) return [];
  const named = imitated.map((crawler) => `${crawler.name} ${toCount(spoofedOf(crawler))}`);
  return [
    `${toRequests(sumOf(imitated, spoofedOf))} in the name of known crawlers are spoofed: ${toList(named)}, ${toPeriodOf(...imitated)}.`,
  ];
}

function findDisobedience({ report: { crawlers } }: ReportView): readonly string[] {
  const disobeying = crawlers.filter(
    ({ robots }) => Math.max(robots?.disallowed ?? 0, robots?.crawlDelay?.exceeding ?? 0) >= minDisobeying,
  );
  if (disobeying.length === 0) return [];
  return [`${toRobotsSentence(crawlers)!.replace(/\.$/, "")}, ${toPeriodOf(...disobeying)}.`];
}

/** A proxy hides the user agents of most clients, so the report tells little. */
function findHiddenAgents({ report: { hiddenAgents = [], requests: all, period } }: ReportView): readonly string[] {
  return hiddenAgents
    .filter(({ requests }) => requests >= minHiddenShare * all)
    .map(
      ({ useragent, requests }) =>
        `${toCount(requests)} of ${toRequests(all)} (${toShare(requests, all)}) have the user agent ${useragent}, which hides who sent them, ${toPeriodOf({ first: period?.from, last: period?.to })}. To see the clients' user agents, ${remedies.get(useragent)}.`,
    );
}

function findBursts({ report: { crawlers, hasSizes, timezone } }: ReportView): readonly string[] {
  return crawlers
    .flatMap(({ name, peak }) => (peak === undefined ? [] : { name, ...peak }))
    .filter(
      ({ requests, medianRequests }) => requests >= minBurst && requests >= burstFactor * Math.max(1, medianRequests),
    )
    .sort((one, other) => other.requests - one.requests)
    .map(({ name, from, requests, bytes, medianRequests }) => {
      const sizes = hasSizes ? `, ${toSize(bytes)}` : "";
      return toBurst(
        name,
        `${toRequests(requests)}${sizes}, ${toHour(from, timezone)}`,
        "its median hour",
        medianRequests,
      );
    });
}

/** A burst of a crawler, such as `1,500 requests, on 2026-03-02 between 14:00 and 15:00 UTC`, compared with another hour. */
export function toBurst(name: string, what: string, other: string, requests: number): string {
  return `${name} made ${what}; ${other} has ${toCount(requests)}.`;
}

function findNews({ comparison }: ReportView): readonly string[] {
  if (comparison === undefined) return [];
  const since =
    comparison.now.period === undefined
      ? ""
      : `, ${toPeriodOf({ first: comparison.now.period.from, last: comparison.now.period.to })}`;
  const nameOf = ({ name, requests: { now } }: ComparedCrawler): string => `${name} (${toRequests(now)})`;
  const fresh = ofStatus(comparison.crawlers, "new");
  const grown = comparison.crawlers.filter(
    ({ requests: { now, percent = 0 } }) => now >= minGrown && percent >= grownPercent,
  );
  return [
    ...(fresh.length === 0 ? [] : [toNewCrawlers(toCount(fresh.length), fresh.map(nameOf), since)]),
    ...(grown.length === 0
      ? []
      : [`Ten times as many requests a day as before: ${toList(grown.map(nameOf))}${since}.`]),
  ];
}

/** How many crawlers are new, each with its requests, such as `GPTBot (12 requests)`; `when` begins with a comma, or is empty. */
export function toNewCrawlers(count: string, named: readonly string[], when: string): string {
  return `${count} ${count === "1" ? "crawler is" : "crawlers are"} new: ${toList(named)}${when}.`;
}

/** Not in a log of crawlers alone, or with a filter that selects them. */
function findBytes({ report: { crawlers, bytes: all, requests, crawlerRequests } }: ReportView): readonly string[] {
  if (requests === crawlerRequests) return [];
  return crawlers
    .filter(({ bytes }) => all > 0 && bytes >= minByteShare * all)
    .map(
      (crawler) =>
        `${crawler.name} got ${toSize(crawler.bytes)}, ${toShare(crawler.bytes, all)} of all bytes, ${toPeriodOf(crawler)}.`,
    );
}

/**
 * A crawler that requests what the site does not have, and its paths. Scanners do so on purpose: they try many paths, each a few times.
 * 401, 403 and 429 are the site's own decision.
 */
function findClientErrors({ report: { crawlers } }: ReportView): readonly string[] {
  const errorsOf = ({ statuses }: CrawlerReport): number =>
    sumOf(Object.entries(statuses), ([code, requests]) => (/^4(?!0[13]|29)/.test(code) ? requests : 0));
  return crawlers
    .map((crawler) => ({ crawler, errors: errorsOf(crawler), paths: crawler.clientErrors }))
    .filter(({ crawler, errors }) => errors >= Math.max(minClientErrors, minClientErrorShare * crawler.requests))
    .filter(
      ({ crawler: { category, rule }, errors, paths: [most] }) =>
        !(rule || probing.has(category)) || (most?.requests ?? 0) >= errors / 2,
    )
    .sort((one, other) => other.errors - one.errors)
    .map(({ crawler, errors, paths }) => {
      const named = paths
        .slice(0, maxOfRule)
        .map(({ path, requests }) => `${path} (${toEstimate(requests, crawler.pathsExact)})`);
      return `${crawler.name} got client errors for ${toCount(errors)} of ${toRequests(crawler.requests)} (${toShare(errors, crawler.requests)}), ${toPeriodOf(crawler)}. Most 4xx: ${named.join(", ")}.`;
    });
}

function findPrograms({ report: { browsers } }: ReportView): readonly string[] {
  const marked = browsers?.strings.filter(({ isProgram }) => isProgram) ?? [];
  if (marked.length === 0) return [];
  const strings = marked.length === 1 ? "1 browser string behaves" : `${toCount(marked.length)} browser strings behave`;
  return [
    `${strings} like a program: ${toRequests(sumOf(marked, ({ requests }) => requests))}${toPeriodOf(...marked).replace(/^/, ", ")}.`,
  ];
}

/** People's strings from crawlers' addresses. Why a crawler sends such a string is not known. */
function findCrawlerAddresses({
  report: { crawlerAddresses = [], requests: all, crawlerRequests },
}: ReportView): readonly string[] {
  const people = all - crawlerRequests;
  const requests = sumOf(crawlerAddresses, ({ requests }) => requests);
  if (requests < Math.max(minFromCrawlers, minFromCrawlersShare * people)) return [];
  const named = [...groupBy(crawlerAddresses, ({ operator }) => operator)].map(
    ([operator, lists]) => `${operator} ${toCount(sumOf(lists, ({ requests }) => requests))}`,
  );
  return [
    `${toRequests(requests)} with browsers' strings (${toShare(requests, people)} of them) came from addresses that operators publish for their crawlers: ${toList(named)}, ${toPeriodOf(...crawlerAddresses)}.`,
  ];
}

/** The log has the addresses of a CDN in place of its clients'. */
function findCdn({ report: { crawlers } }: ReportView): readonly string[] {
  const checked = crawlers.filter(({ verification }) => verification !== undefined);
  const requests = sumOf(checked, ({ requests }) => requests);
  const ofCdns = sumOf(checked, ({ networks }) => networks?.cdn ?? 0);
  if (ofCdns < Math.max(minOfCdns, minCdnShare * requests)) return [];
  return [
    `${toCount(ofCdns)} of ${toRequests(requests)} by known crawlers (${toShare(ofCdns, requests)}) have addresses of CDNs, ${toPeriodOf(...checked)}. To verify crawlers, log the clients' addresses, such as CF-Connecting-IP.`,
  ];
}

/** AI crawlers whose operator's pages and apps sent no visit. */
function findNoVisits({ report }: ReportView): readonly string[] {
  const silent = (report.referrals?.operators ?? [])
    .filter(({ visits }) => visits === 0)
    .map(({ operator }) => ({ operator, crawlers: aiCrawlersOf(report, operator) }))
    .map((one) => ({ ...one, fetches: sumOf(one.crawlers, ({ requests }) => requests) }))
    .filter(({ fetches }) => fetches >= minFetches)
    .sort((one, other) => other.fetches - one.fetches);
  if (silent.length === 0) return [];
  const named = silent.map(({ operator, fetches }) => `${operator} ${toCount(fetches)}`);
  return [
    `AI crawlers fetched pages, but their operators' pages and apps sent no visitors: ${toList(named)} requests, ${toPeriodOf(...silent.flatMap(({ crawlers }) => crawlers))}.`,
  ];
}

function aiCrawlersOf({ crawlers }: Report, wanted: string): readonly CrawlerReport[] {
  return crawlers.filter(({ operator, category }) => operator === wanted && category === "ai");
}

/** `A 12, B 3, 4 more`. */
function toList(named: readonly string[]): string {
  const more = named.length > maxOfRule ? [`${toCount(named.length - maxOfRule)} more`] : [];
  return [...named.slice(0, maxOfRule), ...more].join(", ");
}
