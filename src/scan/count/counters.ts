/** The counters of a scan: each counts one thing of a request. Counters for crawlers read what earlier counters have set. */
import { hasQuery, maxStatus, targetAt } from "../lines/read-fields.ts";
import { countBrowserString } from "./browser-strings.ts";
import { addToDelay } from "./crawl-delay.ts";
import { addToHour, dropHours, hourSeconds } from "./crawler-hours.ts";
import { countHidden } from "./hidden-agents.ts";
import { addressOfLine, type LogRequest, pathOfLine } from "./log-request.ts";
import {
  addPath,
  maxPathBytes as defaultPathBytes,
  maxPathLength,
  type Path,
  robotsTxtPath,
  shortenPaths,
} from "./path-counts.ts";
import { createCountReferral } from "./referrals.ts";
import type { RuleSet } from "./robots-counts.ts";
import type { ScanTask } from "./scan-task.ts";
import {
  type AddressCounts,
  addressOf,
  addStatus,
  type CrawlerTally,
  countedPaths,
  noteFetch,
  type Tally,
} from "./tally.ts";
import { type IntervalCounts, intervalAt } from "./times.ts";

/** Counts the requests of a line. */
export type Counter = (request: LogRequest) => void;
/** The same of a crawler. */
type CrawlerCounter = (request: LogRequest, crawler: CrawlerTally) => void;

/** Makes the counter of all that the task asks for. */
export function createCounter(tally: Tally, task: ScanTask): Counter {
  const countTotals = createCountTotals(tally);
  const countTimes = createCountTimes(tally);
  const countReferrals = createCountReferrals(tally);
  const countBrowsers = task.fleets === true ? createCountBrowsers(tally) : undefined;
  const countHours = createCountHours(tally);
  const countPaths = createCountPaths(tally, task);
  const countRobots = task.robots && createCountRobots(tally, task.robots.judgedFrom);
  // Engines inline functions called by name, but not functions called from a list.
  return (request) => {
    countTotals(request);
    countTimes(request);
    const { crawler, hidden } = request.agent;
    if (hidden !== undefined) countHidden(tally.hidden, hidden, request.requests);
    if (crawler === undefined) {
      countReferrals(request);
      countBrowsers?.(request);
      return;
    }
    countCrawler(request, crawler);
    countHours(request, crawler);
    countPaths(request, crawler);
    countRobots?.(request, crawler);
    if (crawler.addresses !== undefined) countAddress(request, crawler.addresses);
  };
}

function createCountTotals(tally: Tally): Counter {
  return ({ requests, bytes, hasSize, agent }) => {
    tally.requests += requests;
    tally.bytes += bytes;
    if (hasSize) tally.sized += requests;
    if (agent.crawler === undefined) return;
    tally.crawlerRequests += requests;
    tally.crawlerBytes += bytes;
  };
}

/** Looks up the interval only if it has changed. */
function createCountTimes({ times }: Tally): Counter {
  let interval: IntervalCounts | undefined;
  let from = 0;
  let to = 0;
  return ({ at, local, requests, bytes, agent }) => {
    if (!(at >= 0)) return;
    if (interval === undefined || local < from || local >= to) {
      interval = intervalAt(times, local);
      from = Math.floor(local / times.seconds) * times.seconds;
      to = from + times.seconds;
    }
    interval.requests += requests;
    interval.bytes += bytes;
    if (agent.crawler === undefined) return;
    interval.crawlerRequests += requests;
    interval.crawlerBytes += bytes;
  };
}

function createCountReferrals({ referrals }: Tally): Counter {
  const countReferral = createCountReferral(referrals);
  return ({ line, requests, at }) => countReferral(line, requests, at);
}

function createCountBrowsers({ browsers }: Tally): Counter {
  return ({ agent, line, requests, at, local }) => {
    if (agent.browser !== undefined && browsers !== undefined)
      countBrowserString(browsers, agent.browser, line, requests, at, local);
  };
}

function countCrawler(request: LogRequest, crawler: CrawlerTally): void {
  const { at, requests, bytes, status } = request;
  crawler.requests += requests;
  crawler.bytes += bytes;
  if (at >= 0) {
    if (at < crawler.first) crawler.first = at;
    if (at > crawler.last) crawler.last = at;
  }
  request.path = pathOfLine(request);
  request.isRobotsTxt = request.path?.text === robotsTxtPath;
  request.disallowed = 0;
  if (request.isRobotsTxt) crawler.robotsTxt += requests;
  if (status === 0 || status > maxStatus) return;
  addStatus(crawler.statuses, status, requests);
  if (request.isRobotsTxt) addStatus(crawler.robotsStatuses, status, requests);
}

function createCountHours({ hours, crawlers }: Tally): CrawlerCounter {
  return ({ at, local, requests, bytes }, crawler) => {
    if (!(at >= 0)) return;
    addToHour(hours, crawler, Math.floor(local / hourSeconds), requests, bytes);
    dropHours(hours, crawlers);
  };
}

function createCountPaths(tally: Tally, { maxPathBytes = defaultPathBytes }: ScanTask): CrawlerCounter {
  const { paths } = tally;
  return ({ path, isRobotsTxt, requests, bytes, status }, crawler) => {
    if (path === undefined || isRobotsTxt) return;
    const counted = addPath(paths, crawler.paths, path, requests);
    counted.requests += requests;
    counted.bytes += bytes;
    if (status >= 400 && status < 600)
      addPath(paths, status < 500 ? crawler.clientErrors : crawler.serverErrors, counted, requests);
    if (paths.memory > maxPathBytes) shortenPaths(paths, countedPaths(tally), maxPathBytes);
  };
}

/** Counts what robots.txt says of requests: who asks for it, who disobeys it, and who exceeds its Crawl-delay. */
function createCountRobots({ paths }: Tally, judgedFrom: number): CrawlerCounter {
  return (request, { robots, addresses }) => {
    const { path, at, requests, agent, status } = request;
    if (robots === undefined) return;
    if (request.isRobotsTxt) {
      noteFetch(robots, at, status);
      if (addresses !== undefined) noteFetch(addressOf(addresses, addressOfLine(request)), at, status);
      return;
    }
    if (path === undefined) return;
    if (robots.delay !== undefined && at >= judgedFrom)
      addToDelay(robots.delay, addresses === undefined ? "" : addressOfLine(request), at, requests);
    if (agent.rules === undefined) return;
    if (!isDisallowed(request, agent.rules, path)) robots.allowed += requests;
    else if (at < judgedFrom) robots.early += requests;
    else {
      request.disallowed = requests;
      robots.disallowed += requests;
      addPath(paths, robots.paths, path, requests);
    }
  };
}

function isDisallowed({ line, reading }: LogRequest, rules: RuleSet, path: Path): boolean {
  // A counted path may be cut off, and has no query.
  const isCut = path.text.length >= maxPathLength;
  const target = isCut || (rules.readsQuery && hasQuery(line)) ? targetAt(line, reading.targetOf) : path;
  return rules.isDisallowed(target ?? path);
}

function countAddress(request: LogRequest, addresses: Map<string, AddressCounts>): void {
  const { at, requests, disallowed, status } = request;
  const counts = addressOf(addresses, addressOfLine(request));
  counts.requests += requests;
  counts.disallowed += disallowed;
  if (status === 403 || status === 429) counts.refused += requests;
  else if (status >= 500) counts.errors += requests;
  if (at < counts.first) counts.first = at;
  if (at > counts.last) counts.last = at;
}
