/** Scans blocks of whole lines: reads each line, has its requests counted, and selects the requested lines. */
import type { ItemFacts } from "../../detect/compiled-catalogue.ts";
import type { Verification } from "../../detect/verification.ts";
import type { LogFormat } from "../lines/format.ts";
import { field, type LogLine, outcome } from "../lines/line.ts";
import { maxStatus, requestsOf, sizeOf, statusOf } from "../lines/read-fields.ts";
import { decodeField } from "../lines/unescape.ts";
import { createIsIn } from "./address-index.ts";
import { type Agent, type Checker, createAgents, excluded, person } from "./agents.ts";
import { type Counter, createCounter, noteFetchOf } from "./counters.ts";
import { keyOf } from "./crawler-tally.ts";
import {
  addressOfLine,
  agentOfLine,
  createLogRequest,
  createReading,
  type LogRequest,
  type Makers,
  pathOfLine,
} from "./log-request.ts";
import {
  type Annotation,
  annotate,
  annotationOf,
  createOutput,
  type Output,
  type PassedLine,
  toFacts,
} from "./passed-lines.ts";
import { robotsTxtPath } from "./path-counts.ts";
import { isInPeriod, type RequestFilter, selectsCrawler } from "./request-filter.ts";
import { createRuleSets } from "./robots-rules.ts";
import type { ScanTask } from "./scan-task.ts";
import { createTally, maxExamples, type Tally } from "./tally.ts";
import { createToLocal, type ToLocal } from "./timezone.ts";
import { noteUnreadable } from "./unreadable.ts";

export interface ScannerOptions extends Checker {
  readonly task?: ScanTask | undefined;
  /** The items of the catalogue, whose facts say which groups of robots.txt apply. */
  readonly items?: readonly ItemFacts[] | undefined;
}

export interface Scanner {
  readonly tally: Tally;
  /** Scans `bytes[0 … length)`; returns the bytes to pass through, where that is asked for. */
  scan(bytes: Uint8Array, length: number, format: LogFormat): Uint8Array | undefined;
}

/** A line of a block, and what was found of it. */
interface ScannedLine extends PassedLine {
  /** Undefined if it is not a request. */
  readonly agent: Agent | undefined;
}

const hyphen = 0x2d;
const zero = 0x30;
const lineEnd = 0x0a;
const lineEnds = Uint8Array.of(lineEnd);
const carriageReturn = 0x0d;
const maxExampleLength = 200;

export function createScanner(options: ScannerOptions): Scanner {
  return new BlockScanner(options);
}

class BlockScanner implements Scanner {
  readonly tally: Tally;
  readonly #task: ScanTask;
  readonly #makers: Makers;
  readonly #count: Counter;
  readonly #toLocal: ToLocal;
  #request: LogRequest | undefined;

  constructor({ task = {}, items = [], ...checker }: ScannerOptions) {
    this.#task = task;
    this.tally = createTally(task);
    this.#makers = {
      agents: createAgents(this.tally, checker, task, task.robots && createRuleSets(task.robots, items)),
      anonymous: selectsCrawler(task.filter ?? {}) === undefined ? person : excluded,
      paths: this.tally.paths,
      invalidAddresses: this.tally.invalidAddresses,
      proxies: { trusted: task.trustProxy, isCloudflare: task.cloudflare && createIsIn(task.cloudflare) },
    };
    this.#count = createCounter(this.tally, task);
    this.#toLocal = createToLocal(task.timezone ?? "UTC");
  }

  scan(bytes: Uint8Array, length: number, format: LogFormat): Uint8Array | undefined {
    const { only, annotate, findings } = this.#task;
    this.#use(format);
    const output = only !== undefined || annotate === true ? createOutput(length) : undefined;
    const annotation = annotate === true ? annotationOf(format, findings !== undefined) : undefined;
    for (let from = 0; from < length; ) {
      const end = endOfLine(bytes, from, length);
      const next = end + 1;
      const to = end > from && bytes[end - 1] === carriageReturn ? end - 1 : end;
      const agent = this.#read(bytes, from, to);
      if (output !== undefined && agent !== excluded)
        this.#pass(output, annotation, { bytes, from, to, next: Math.min(next, length), agent });
      from = next;
    }
    return output?.bytes();
  }

  /** Reads the lines that follow as ones of this format. */
  #use(format: LogFormat): void {
    const key = JSON.stringify(format);
    if (this.#request?.reading.key !== key) this.#request = createLogRequest(createReading(format, key, this.#makers));
  }

  /** Reads a line, and counts its requests; returns their user agent, undefined if the line is not a request. */
  #read(bytes: Uint8Array, from: number, to: number): Agent | undefined {
    const { tally } = this;
    const request = this.#request!;
    const { line, reading } = request;
    tally.lines++;
    const result = to === from ? outcome.other : reading.read(bytes, from, to, line);
    const requests = result === outcome.request ? requestsOf(line) : 0;
    if (result === outcome.broken || Number.isNaN(requests)) this.#refuse(bytes, from, to);
    if (!(requests > 0)) return undefined;
    const timeFrom = line.from[field.time]!;
    request.requests = requests;
    request.status = statusOf(line);
    request.at = timeFrom === -1 ? Number.NaN : reading.timeOf(line.source, timeFrom, line.to[field.time]!);
    if (request.at < tally.first) tally.first = request.at;
    if (request.at > tally.last) tally.last = request.at;
    const { filter } = this.#task;
    request.agent = filter !== undefined && this.#isExcluded(filter, request) ? excluded : agentOfLine(request);
    if (request.agent === excluded) {
      tally.excluded += requests;
      // Notes the names of the filter.
      if (filter?.crawlers !== undefined && tally.seenNames.size < filter.crawlers.length) agentOfLine(request);
      return excluded;
    }
    if (reading.isMixed && line.from[field.useragent] === -1) tally.withoutAgent += requests;
    if (request.agent.isUnlikely) {
      tally.unlikely += requests;
      tally.unlikelyExample ||= toExample(bytes, from, to);
    }
    const size = sizeOf(line);
    if (Number.isNaN(request.at)) noteUnreadable(tally.unreadable, "time", line);
    if (size === undefined) noteUnreadable(tally.unreadable, "bytes", line);
    if (!isStatus(request.status, line)) noteUnreadable(tally.unreadable, "status", line);
    request.bytes = size ?? 0;
    request.hasSize = size !== undefined;
    request.local = this.#toLocal(request.at);
    this.#count(request);
    return request.agent;
  }

  /** Whether the filter excludes requests by their time or path. */
  #isExcluded({ since, until, paths }: RequestFilter, request: LogRequest): boolean {
    const { at, requests } = request;
    if (!isInPeriod(at, since, until)) {
      if (Number.isNaN(at)) this.tally.untimed += requests;
      // A crawler that fetched it before the period knows the file.
      else if (until === undefined || at < until) this.#noteExcludedFetch(request);
      return true;
    }
    if (paths === undefined) return false;
    const path = pathOfLine(request);
    if (path !== undefined && paths.some((prefix) => path.text.startsWith(prefix))) return false;
    this.#noteExcludedFetch(request);
    return true;
  }

  /** Whether disallowed requests are excused depends on the crawler's fetches of robots.txt, which count for nothing else. */
  #noteExcludedFetch(request: LogRequest): void {
    if (this.#task.robots === undefined || pathOfLine(request)?.text !== robotsTxtPath) return;
    const { crawler } = agentOfLine(request);
    if (crawler !== undefined) noteFetchOf(request, crawler);
  }

  #refuse(bytes: Uint8Array, from: number, to: number): void {
    this.tally.broken++;
    if (this.tally.examples.length < maxExamples) this.tally.examples.push(toExample(bytes, from, to));
  }

  /** Passes on a line if it is wanted; lines that are not requests, such as headers, are part of the log and always pass. */
  #pass(output: Output, annotation: Annotation | undefined, line: ScannedLine): void {
    const { only } = this.#task;
    const { agent } = line;
    const finding = agent === undefined ? undefined : this.#findingOf(agent);
    if (agent !== undefined && only === "spoofed" && finding?.status !== "spoofed") return;
    if (agent !== undefined && (only === "crawlers" || only === "people"))
      if ((agent.crawler !== undefined) !== (only === "crawlers")) return;
    if (annotation !== undefined) {
      const facts = agent && { ...toFacts(agent.verdict), ...(finding && { verification: finding }) };
      annotate(output, annotation, line, facts);
    } else output.write(line.bytes, line.from, line.next);
    // The last line of a log may lack its end, and the lines of another log may follow.
    if (line.bytes[line.next - 1] !== lineEnd) output.write(lineEnds, 0, 1);
  }

  #findingOf({ crawler }: Agent): Verification | undefined {
    const known = crawler && this.#task.findings?.get(keyOf(crawler.facts));
    return known?.get(addressOfLine(this.#request!));
  }
}

/** The beginning of a line, for a message. */
function toExample(bytes: Uint8Array, from: number, to: number): string {
  return decodeField(bytes, from, Math.min(to, from + maxExampleLength), "none");
}

/** Whether a status has three digits; 0 and -1 say that nothing was answered. */
function isStatus(status: number, { source, from, to }: LogLine): boolean {
  if (status >= 100 && status <= maxStatus) return true;
  const start = from[field.status]!;
  return (
    start === -1 ||
    source[start] === hyphen ||
    (status === 0 && source[start] === zero && to[field.status] === start + 1)
  );
}

function endOfLine(bytes: Uint8Array, from: number, length: number): number {
  const found = bytes.indexOf(lineEnd, from);
  return found === -1 || found > length ? length : found;
}
