/** Scans blocks of whole lines: counts them, and selects the requested lines. */

import { createByteCache, type MakeOfBytes } from "../../cache/byte-cache.ts";
import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import type { CrawlerVerdict, Verdict } from "../../detect/verdict.ts";
import type { Verification } from "../../detect/verification.ts";
import { countBrowserString } from "../fleets/browser-strings.ts";
import { createLogReader } from "../lines/envelope.ts";
import { type LogFormat, saysUserAgent } from "../lines/format.ts";
import { createLogLine, field, type LineReader, type LogLine, outcome } from "../lines/line.ts";
import { addressAt, hasQuery, pathAt, requestsOf, sizeOf, statusOf, targetAt } from "../lines/read-fields.ts";
import { readTime } from "../lines/time.ts";
import { decodeBlanks, decodeField } from "../lines/unescape.ts";
import { type Agent, createAgents, excluded, person } from "./agents.ts";
import { addToDelay } from "./crawl-delay.ts";
import type { FastLines } from "./fast-lines.ts";
import { type Annotation, annotate, annotationOf, createOutput, type Output, toFacts } from "./passed-lines.ts";
import {
  addPath,
  maxPathBytes as defaultPathBytes,
  maxPathLength,
  type Path,
  pathOfText,
  robotsTxtPath,
  shortenPaths,
} from "./path-counts.ts";
import { createCountReferral } from "./referrals.ts";
import { isInPeriod, type RequestFilter, selectsCrawler } from "./request-filter.ts";
import { createRuleSets, type RobotsTask, type RuleSet, type Target } from "./robots-counts.ts";
import {
  addAddress,
  addStatus,
  countedPaths,
  createTally,
  keyOf,
  maxExamples,
  noteFetch,
  type RobotsCounts,
  type Tally,
} from "./tally.ts";
import { type IntervalCounts, intervalAt } from "./times.ts";
import { createToLocal } from "./timezone.ts";

export interface ScanOptions {
  readonly check: (useragent: string) => Verdict;
  /** Whether a verdict was made by a rule, so that no entry knows the crawler. */
  readonly isByRule: (verdict: CrawlerVerdict) => boolean;
  /** The requests that are counted or passed through; without it all are. */
  readonly filter?: RequestFilter | undefined;
  /** Lines to pass through; without it and `annotate` none are. */
  readonly only?: "crawlers" | "people" | "spoofed" | undefined;
  /** Whether the lines that are passed through get the verdict. */
  readonly annotate?: boolean | undefined;
  /** Whether the addresses of crawlers are counted, so that they can be verified. */
  readonly verify?: boolean | undefined;
  /** The memory of paths; beyond it, counts of paths become estimates. Default: 64 MB. */
  readonly maxPathBytes?: number | undefined;
  /** The robots.txt that requests are compared with. */
  readonly robots?: RobotsTask | undefined;
  /** Whether the behavior of browsers' strings is counted, so that programs among them can be found. */
  readonly fleets?: boolean | undefined;
  /** The IANA name of the zone whose days and hours are counted. Default: UTC. */
  readonly timezone?: string | undefined;
  /** The items of the catalogue, whose facts say which groups of robots.txt apply. */
  readonly items?: readonly ItemFacts[] | undefined;
  /** What verifying says of addresses, by keyOf of the crawler: for the lines that are passed through. */
  readonly findings?: Findings | undefined;
  /** Reads the lines of template formats faster; blocks must not be longer than its own. */
  readonly fastLines?: FastLines | undefined;
}

export type Findings = ReadonlyMap<string, ReadonlyMap<string, Verification>>;

export interface Scanner {
  readonly tally: Tally;
  /** Scans `bytes[0 … length)`; returns the bytes to pass through, where that is asked for. */
  scan(bytes: Uint8Array, length: number, format: LogFormat): Uint8Array | undefined;
}

/** What depends on the format of a log. */
interface Reading {
  readonly key: string;
  /** Present if it reads the lines of this format. */
  readonly fast: FastLines | undefined;
  readonly line: LogLine;
  readonly read: LineReader;
  readonly timeOf: MakeOfBytes<number>;
  readonly agentOf: MakeOfBytes<Agent>;
  /** Where requests without a user agent are counted. */
  readonly missing: () => Agent;
  readonly pathOf: MakeOfBytes<Path>;
  readonly addressOf: MakeOfBytes<string>;
  /** A path with its query, for robots.txt. */
  readonly targetOf: MakeOfBytes<Target>;
}

const lineEnd = 0x0a;
const carriageReturn = 0x0d;
/** Status codes have three digits. */
const maxStatus = 999;
const maxExampleLength = 200;

export function createScanner(options: ScanOptions): Scanner {
  const tally = createTally();
  const ruleSets = options.robots && createRuleSets(options.robots, options.items ?? []);
  const judgedFrom = options.robots?.judgedFrom ?? 0;
  const { filter } = options;
  const selects = filter && selectsCrawler(filter);
  const agents = createAgents(tally, { ...options, ruleSets, selects });
  const anonymous = selects === undefined ? person : excluded;
  const countReferral = createCountReferral(tally.referrals);
  const { maxPathBytes = defaultPathBytes, timezone = "UTC" } = options;
  const toLocal = createToLocal(timezone);
  let reading: Reading | undefined;
  let interval: IntervalCounts | undefined;
  let intervalFrom = 0;
  let intervalTo = 0;

  function readingOf(format: LogFormat): Reading {
    const key = JSON.stringify(format);
    if (reading?.key === key) return reading;
    // In a log without user agents, no request counts as a crawler's; in other logs, a request without one does.
    const isOmitted = format.omitsUserAgents === true || !saysUserAgent(format);
    const agentOfText = (text: string): Agent => (text === "" && isOmitted ? anonymous : agents(text));
    // Paths stay as they were asked for.
    const pathEscapes = format.escapes === "percent" || format.escapes === "plus" ? "none" : format.escapes;
    const makeAgent: MakeOfBytes<Agent> = (bytes, from, to) =>
      agentOfText(decodeBlanks(decodeField(bytes, from, to, format.escapes)));
    const makePath: MakeOfBytes<Path> = (bytes, from, to) =>
      pathOfText(tally.paths, cutPath(decodeField(bytes, from, to, pathEscapes)));
    const makeTarget: MakeOfBytes<Target> = (bytes, from, to) => ({
      text: decodeField(bytes, from, to, pathEscapes),
      decisions: 0,
    });
    const read = createLogReader(format);
    const isPlain = format.envelope === undefined && format.template !== undefined;
    const fast = isPlain && options.fastLines?.use(format.template) ? options.fastLines : undefined;
    return {
      key,
      fast,
      line: fast?.line ?? createLogLine(),
      read: fast?.createReader(read) ?? read,
      timeOf: fast?.readTime ?? readTime,
      missing: () => agentOfText(""),
      agentOf: fast?.rememberAgents(makeAgent) ?? createByteCache(makeAgent, 8192, 256),
      pathOf: fast?.rememberPaths(makePath) ?? createByteCache(makePath, 8192, 128),
      targetOf: createByteCache(makeTarget, 8192, 256),
      addressOf: createByteCache((bytes, from, to) => decodeField(bytes, from, to, format.escapes), 16384, 64),
    };
  }

  function intervalOf(at: number): IntervalCounts {
    if (interval === undefined || at < intervalFrom || at >= intervalTo) {
      interval = intervalAt(tally.times, at);
      intervalFrom = Math.floor(at / tally.times.seconds) * tally.times.seconds;
      intervalTo = intervalFrom + tally.times.seconds;
    }
    return interval;
  }

  /** Counts the requests of a line; the line's bytes are their sum. */
  function count(
    line: LogLine,
    requests: number,
    at: number,
    agent: Agent,
    { pathOf, addressOf, targetOf }: Reading,
  ): void {
    const size = sizeOf(line);
    if (size !== undefined) tally.sized += requests;
    const bytes = size ?? 0;
    tally.requests += requests;
    tally.bytes += bytes;
    const local = toLocal(at);
    const during = at >= 0 ? intervalOf(local) : undefined;
    if (during !== undefined) {
      during.requests += requests;
      during.bytes += bytes;
    }
    const { crawler } = agent;
    if (crawler === undefined) {
      countReferral(line, requests, at);
      if (agent.browser !== undefined && tally.browsers !== undefined)
        countBrowserString(tally.browsers, agent.browser, line, requests, at, local);
      return;
    }
    tally.crawlerRequests += requests;
    tally.crawlerBytes += bytes;
    if (during !== undefined) {
      during.crawlerRequests += requests;
      during.crawlerBytes += bytes;
      if (at < crawler.first) crawler.first = at;
      if (at > crawler.last) crawler.last = at;
    }
    crawler.requests += requests;
    crawler.bytes += bytes;
    const status = statusOf(line);
    if (status > 0 && status <= maxStatus) addStatus(crawler.statuses, status, requests);
    const path = pathAt(line, pathOf);
    const { robots, addresses } = crawler;
    const isFetch = path?.text === robotsTxtPath;
    let disallowed = 0;
    if (isFetch) {
      crawler.robotsTxt += requests;
      if (robots !== undefined) noteFetch(robots, at, status);
    } else if (path !== undefined) {
      addPath(tally.paths, crawler.paths, path, requests);
      if (agent.rules !== undefined && robots !== undefined)
        disallowed = compare(line, requests, agent.rules, robots, path, at, targetOf);
      if (tally.paths.bytes > maxPathBytes) shortenPaths(tally.paths, countedPaths(tally), maxPathBytes);
    }
    const address = addresses === undefined ? "" : addressAt(line, addressOf);
    if (robots?.delay !== undefined && path !== undefined && !isFetch && at >= judgedFrom)
      addToDelay(robots.delay, address, at, requests);
    if (addresses === undefined) return;
    const counts = addAddress(addresses, address, requests, at, at, disallowed);
    if (isFetch && robots !== undefined) noteFetch(counts, at, status);
  }

  /** Whether the filter excludes requests by their time or path. */
  function isExcluded(
    { since, until, paths }: RequestFilter,
    line: LogLine,
    requests: number,
    at: number,
    reading: Reading,
  ): boolean {
    if (!isInPeriod(at, since, until)) {
      if (Number.isNaN(at)) tally.untimed += requests;
      return true;
    }
    if (paths === undefined) return false;
    const path = pathAt(line, reading.pathOf);
    if (path !== undefined && paths.some((prefix) => path.text.startsWith(prefix))) return false;
    // Whether disallowed requests are excused depends on the crawler's fetches of robots.txt.
    if (path?.text !== robotsTxtPath || ruleSets === undefined) return true;
    const crawler = agentAt(line, reading).crawler;
    if (crawler?.robots === undefined) return true;
    noteFetch(crawler.robots, at, statusOf(line));
    if (crawler.addresses === undefined) return true;
    const address = addressAt(line, reading.addressOf);
    // The address counts for nothing else: not the times at which it was seen, either.
    const counts = addAddress(crawler.addresses, address, 0, Number.NaN, Number.NaN, 0);
    noteFetch(counts, at, statusOf(line));
    return true;
  }

  /** Counts what robots.txt says of the requests of a line; returns how many of them disobey. */
  function compare(
    line: LogLine,
    requests: number,
    rules: RuleSet,
    counts: RobotsCounts,
    path: Path,
    at: number,
    targetOf: MakeOfBytes<Target>,
  ): number {
    // A path as it is counted is cut, and has no query.
    const isCut = path.text.length >= maxPathLength;
    const target = isCut || (rules.readsQuery && hasQuery(line)) ? targetAt(line, targetOf) : path;
    if (!rules.isDisallowed(target)) {
      counts.allowed += requests;
      return 0;
    }
    if (at < judgedFrom) {
      counts.early += requests;
      return 0;
    }
    counts.disallowed += requests;
    addPath(tally.paths, counts.paths, path, requests);
    return requests;
  }

  function findingOf(line: LogLine, agent: Agent | undefined, { addressOf }: Reading) {
    const known = agent?.crawler && options.findings?.get(keyOf(agent.crawler.facts));
    return known?.get(addressAt(line, addressOf));
  }

  function refuse(bytes: Uint8Array, from: number, to: number): void {
    tally.broken++;
    if (tally.examples.length < maxExamples) {
      tally.examples.push(decodeField(bytes, from, Math.min(to, from + maxExampleLength), "none"));
    }
  }

  function scan(block: Uint8Array, length: number, format: LogFormat): Uint8Array | undefined {
    reading = readingOf(format);
    const { fast, line, read, timeOf } = reading;
    const bytes = fast?.block ?? block;
    fast?.block.set(block.subarray(0, length));
    const output = options.only !== undefined || options.annotate === true ? createOutput(length) : undefined;
    const annotation = options.annotate === true ? annotationOf(format) : undefined;
    for (let from = 0; from < length; ) {
      const end = fast?.endOf(from, length) ?? endOfLine(bytes, from, length);
      const next = end + 1;
      const to = end > from && bytes[end - 1] === carriageReturn ? end - 1 : end;
      tally.lines++;
      const result = to === from ? outcome.other : read(bytes, from, to, line);
      let agent: Agent | undefined;
      const requests = result === outcome.request ? requestsOf(line) : 0;
      if (requests > 0) {
        const timeFrom = line.from[field.time]!;
        const at = timeFrom === -1 ? Number.NaN : timeOf(line.source, timeFrom, line.to[field.time]!);
        if (at < tally.first) tally.first = at;
        if (at > tally.last) tally.last = at;
        agent =
          filter !== undefined && isExcluded(filter, line, requests, at, reading) ? excluded : agentAt(line, reading);
        if (agent === excluded) {
          tally.excluded += requests;
          from = next;
          continue;
        }
        count(line, requests, at, agent, reading);
      } else if (result === outcome.broken || Number.isNaN(requests)) refuse(bytes, from, to);
      if (output !== undefined)
        pass(output, annotation, bytes, from, to, Math.min(next, length), agent, findingOf(line, agent, reading));
      from = next;
    }
    return output?.bytes();
  }

  /** Passes on a line if it is wanted; lines that are not requests, such as headers, are part of the log and pass always. */
  function pass(
    output: Output,
    annotation: Annotation | undefined,
    bytes: Uint8Array,
    from: number,
    to: number,
    next: number,
    agent: Agent | undefined,
    finding: Verification | undefined,
  ): void {
    const isCrawler = agent?.crawler !== undefined;
    if (options.only === "spoofed") {
      if (agent !== undefined && finding?.status !== "spoofed") return;
    } else if (options.only !== undefined && agent !== undefined && isCrawler !== (options.only === "crawlers")) return;
    if (annotation !== undefined) {
      const facts = agent && { ...toFacts(agent.verdict), ...(finding && { verification: finding }) };
      annotate(output, annotation, bytes, from, to, next, facts);
    } else output.write(bytes, from, next);
  }

  return { tally, scan };
}

function agentAt({ source, from, to }: LogLine, { agentOf, missing }: Reading): Agent {
  const start = from[field.useragent]!;
  return start === -1 ? missing() : agentOf(source, start, to[field.useragent]!);
}

/** A longer path ends with an ellipsis. Joined, because engines keep the whole text for a slice of it. */
function cutPath(path: string): string {
  return path.length > maxPathLength ? [path.slice(0, maxPathLength - 1), "…"].join("") : path;
}

function endOfLine(bytes: Uint8Array, from: number, length: number): number {
  const found = bytes.indexOf(lineEnd, from);
  return found === -1 || found > length ? length : found;
}
