/** The counter of a scan: has each request counted by all that count something of it. */
import { findClient } from "../lines/client-address.ts";
import { field } from "../lines/line.ts";
import { hasQuery, targetAt } from "../lines/read-fields.ts";
import { createFindAddress } from "./address-index.ts";
import { addressOf, countAddress } from "./addresses.ts";
import { countBrowser } from "./browser-strings.ts";
import { type AddressUse, type CrawlerAddressTask, countAddressUse } from "./crawler-addresses.ts";
import { countHour } from "./crawler-hours.ts";
import { type CrawlerTally, countCrawler, countedPaths } from "./crawler-tally.ts";
import { countHidden } from "./hidden-agents.ts";
import { addressOfLine, type LogRequest, pathOfLine, pathTextOfLine, useragentOfLine } from "./log-request.ts";
import {
  countPath,
  maxPathBytes as defaultPathBytes,
  maxPathLength,
  type Path,
  type Paths,
  pathOfText,
  robotsTxtPath,
  shortenPaths,
} from "./path-counts.ts";
import { createCountReferral } from "./referrals.ts";
import { anyQuery, countDelay, countRobots, noteFetch } from "./robots-counts.ts";
import type { RobotsTask, RuleSet } from "./robots-rules.ts";
import type { ScanTask } from "./scan-task.ts";
import { countTotals, type Tally } from "./tally.ts";
import { createCountTime } from "./times.ts";

/** Counts the requests of a line. */
export type Counter = (request: LogRequest) => void;

/** Makes the counter of all that the task asks for. */
export function createCounter(tally: Tally, task: ScanTask): Counter {
  const { robots, crawlerAddresses, maxPathBytes = defaultPathBytes } = task;
  const { crawlers, hours, paths, browsers, addressUses } = tally;
  const countTime = createCountTime(tally.times);
  const countReferral = createCountReferral(tally.referrals);
  const countObedience = robots && createCountObedience(paths, robots);
  const countFromCrawlers = addressUses && crawlerAddresses && createCountFromCrawlers(addressUses, crawlerAddresses);
  // Engines inline functions called by name, but not functions called from a list.
  return (request) => {
    const { crawler, browser, hidden } = request.agent;
    countTotals(tally, request, crawler !== undefined);
    countTime(request, crawler !== undefined);
    if (crawler === undefined) {
      if (hidden !== undefined) countHidden(tally.hidden, hidden, request.requests);
      countReferral(request.line, request.requests, request.at);
      if (browser !== undefined && browsers !== undefined) {
        countBrowser(browsers, browser, request);
        // Notes an address that is none.
        addressOfLine(request);
      }
      countFromCrawlers?.(request);
      return;
    }
    const path = pathOfLine(request);
    const isRobotsTxt = path?.text === robotsTxtPath;
    countCrawler(crawler, request, isRobotsTxt);
    countHour(hours, crawlers, crawler, request);
    if (path !== undefined && !isRobotsTxt) countPath(paths, crawler, path, request);
    if (paths.memory > maxPathBytes) shortenPaths(paths, countedPaths(crawlers), maxPathBytes);
    const disallowed = countObedience === undefined || path === undefined ? 0 : countObedience(request, crawler, path);
    const { addresses } = crawler;
    if (addresses !== undefined) countAddress(addressOf(addresses, addressOfLine(request)), request, disallowed);
  };
}

/** Makes the function that counts a request with a person's string if it is from an address of crawlers. */
function createCountFromCrawlers(uses: readonly AddressUse[], { intervals }: CrawlerAddressTask): Counter {
  const find = createFindAddress(intervals);
  return (request) => {
    const { line } = request;
    findClient(line);
    const from = line.from[field.address]!;
    const place = from === -1 ? -1 : find(line.source, from, line.to[field.address]!);
    if (place === -1) return;
    const useragent = useragentOfLine(request);
    // Where a log omits it, nobody knows whether it is a person's.
    if (useragent !== "") countAddressUse(uses[place]!, request, pathTextOfLine(request), useragent);
  };
}

/** Makes the function that counts what robots.txt says of the requests for a path, and returns how many of them disobey. */
function createCountObedience(
  paths: Paths,
  { judgedFrom }: RobotsTask,
): (request: LogRequest, crawler: CrawlerTally, path: Path) => number {
  return (request, crawler, path) => {
    const { at, requests, agent } = request;
    const { robots, addresses } = crawler;
    if (robots === undefined) return 0;
    if (path.text === robotsTxtPath) {
      noteFetchOf(request, crawler);
      return 0;
    }
    if (at >= judgedFrom) countDelay(robots, addresses === undefined ? "" : addressOfLine(request), request);
    if (agent.rules === undefined) return 0;
    const isDisallowed = disallows(agent.rules, request, path);
    // The query alone decides, and is not kept.
    const isByQuery =
      isDisallowed && agent.rules.readsQuery && hasQuery(request.line) && !disallowsPath(agent.rules, path);
    const counted = isByQuery ? pathOfText(paths, path.text + anyQuery) : path;
    return countRobots(paths, robots, counted, { requests, isDisallowed, isEarly: at < judgedFrom });
  };
}

/** Notes that a crawler fetched /robots.txt; a fetch that a filter excludes tells what the crawler knows, too. */
export function noteFetchOf(request: LogRequest, { robots, addresses }: CrawlerTally): void {
  if (robots === undefined) return;
  noteFetch(robots, request.at, request.status);
  if (addresses !== undefined) noteFetch(addressOf(addresses, addressOfLine(request)), request.at, request.status);
}

/** Of a path that was cut, it is unknown. */
function disallowsPath(rules: RuleSet, path: Path): boolean {
  return path.text.length >= maxPathLength || rules.isDisallowed(path);
}

function disallows(rules: RuleSet, { line, reading }: LogRequest, path: Path): boolean {
  // A counted path may be cut off, and has no query.
  const isCut = path.text.length >= maxPathLength;
  const target = isCut || (rules.readsQuery && hasQuery(line)) ? targetAt(line, reading.targetOf) : path;
  return rules.isDisallowed(target ?? path);
}
