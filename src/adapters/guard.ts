/** What the web framework adapters share: the options, a lazy verdict on a request, and the decision about it. */
import { once } from "../cache/once.ts";
import { check } from "../detect/built-in/check.ts";
import { items } from "../detect/built-in/items.ts";
import type { ItemFacts } from "../detect/compiled-catalogue.ts";
import { type Decision, decide } from "../detect/policy/decide.ts";
import {
  findCancelledBlock,
  type IsDisallowed,
  namesDisallowed,
  type PolicyWords,
  parsePolicy,
} from "../detect/policy/policy.ts";
import type { Detector, Verdict } from "../detect/verdict.ts";
import { createRobots, findManyPatterns, type Robots } from "../robots/crawler-rules.ts";
import { createIsDisallowed, indexByName, toOneCase } from "../robots/disallowed.ts";
import { parseRobots } from "../robots/robots-file.ts";
import { findInvalidContent } from "../robots/robots-text.ts";
import { checkOptions, expectDetector } from "../text/nearest-word.ts";
import { createCounts, type LimitOptions, readLimit } from "./crawler-limit.ts";

export type { CrawlerName, PolicyWord } from "../detect/policy/policy.ts";
export type { Detector, Verdict } from "../detect/verdict.ts";
export type { CrawlerRate } from "./crawler-limit.ts";

/** Which crawlers are refused, such as `{ block: ["ai", "seo"], allow: ["ai:search", "AhrefsBot"] }`; adapters add `onBlock`. */
export interface GuardOptions extends PolicyWords, LimitOptions {
  /** If true, no request is refused or limited, so that a policy can be tested first. Default false. */
  readonly observe?: boolean | undefined;
  /** Gives the verdicts; `block` and `allow` select from its catalogue. Default: the detector of `verifier`, or of this package. */
  readonly detector?: Detector | undefined;
  /**
   * Verifies crawlers, by `createVerifier()` of whocrawls/verify: verdicts get `verification`, and `block` and `allow` take the
   * words `verified`, `spoofed`, `unverifiable` and `unproven`, and `network:KIND` and `signal:ID`.
   */
  readonly verifier?: RequestVerifier | undefined;
  /** The text of the site's robots.txt, for the word `disallowed` of `block`. */
  readonly robots?: string | undefined;
  /** Whether the application ignores case in paths, as Express does by default; `disallowed` then does so, too. Default false. */
  readonly caseInsensitivePaths?: boolean | undefined;
  /** How long the request of a crawler waits for DNS and for keys, in milliseconds, at most 5000. Default 1000. */
  readonly waitMs?: number | undefined;
}

/** The part of a verifier that the middleware uses. */
export interface RequestVerifier {
  readonly detector: Detector;
  verifyRequest(verdict: Verdict, request: RequestFacts, waitMs: number): Verdict | Promise<Verdict>;
  /** Called with warnings. */
  readonly report?: ((text: string) => void) | undefined;
}

/** A request for the verifier. */
export interface RequestFacts {
  readonly ip: string | undefined;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A request as an adapter reads it. The address is needed only for a verifier. */
export interface GuardedRequest extends Omit<RequestFacts, "ip"> {
  /** All of several lines: a site may read another than the first one. The request is a crawler's if one of them is. */
  readonly userAgent: string | readonly string[] | null | undefined;
  ip(): string | undefined;
}

/** The decision about a request. */
export interface Guarded {
  /** Without a verifier, makes the verdict when it is first called. */
  readonly verdict: () => Verdict;
  /** The answer to a request that is refused (403) or limited (429); undefined if the request passes. */
  readonly answer: GuardAnswer | undefined;
}

/** An answer with a line of text. */
export interface GuardAnswer {
  readonly status: 403 | 429;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The client's address as an application finds it; undefined if it is unknown. A method, so that functions of a framework's types fit. */
export type AddressOf<Input extends readonly unknown[]> = { of(...input: Input): string | undefined }["of"];

const type = { "content-type": "text/plain; charset=utf-8" };

/** The answer to a refused request, if the application has no `onBlock`. */
const refusal: GuardAnswer = { status: 403, headers: type, text: "This site does not allow this kind of crawler.\n" };

const tooMany = "Too many requests from this crawler. Try again after the time given in Retry-After.\n";

const example = 'crawlers({ block: "ai" })';
const optionNames = [
  ...["block", "allow", "limit", "limitBy", "detector", "verifier", "waitMs", "addressOf", "observe", "onBlock"],
  ...["robots", "caseInsensitivePaths"],
];

const noRobots = "this middleware has no option `robots` (the text of the site's robots.txt).";

const unverified =
  "this middleware has no `verifier`. On Node or Bun, add createVerifier({ refresh: true }) from whocrawls/verify.";

type AllOptions = GuardOptions & { readonly onBlock?: unknown; readonly addressOf?: unknown };

/**
 * Reads the options. Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler. `knowsAddress`
 * is true if the framework provides the client's address; `furtherNames` are options of its adapter only. `decide` returns a promise only
 * with a verifier that waits.
 */
export function createGuard(options: AllOptions, knowsAddress: boolean, furtherNames: readonly string[] = []) {
  checkOptions("crawlers()", example, [...optionNames, ...furtherNames], options);
  checkValues(options, knowsAddress);
  const { verifier, observe, waitMs = 1000 } = options;
  const detector = options.detector ?? verifier?.detector;
  const missing = verifier
    ? {}
    : { verification: unverified, address: unverified, network: unverified, signal: unverified };
  const crawlers = detector ? detector.catalogue.items : items();
  const robots = options.robots === undefined ? noRobots : createDisallowed(options, crawlers);
  const refuses = parsePolicy(options, { crawlers, missing, robots });
  const countOf = readLimit(options, crawlers);
  if (options.robots !== undefined && !namesDisallowed(options))
    throw new TypeError('`robots` needs the word "disallowed" in `block`.');
  if (options.robots === undefined && options.caseInsensitivePaths !== undefined)
    throw new TypeError("`caseInsensitivePaths` needs `robots`.");
  warnOnce(findCancelledBlock(options), verifier);
  const rules = observe ? { refuses: () => false, countOf: undefined } : { refuses, countOf };
  const takeOne = createCounts();
  const toVerdict = detector?.check ?? check;
  // The first verdict on a crawler loads the catalogue's tables, which takes time: do it now, not while a request waits.
  toVerdict("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)");
  const applyPolicy = (path: string | undefined, verdict: () => Verdict): Guarded => {
    const decision = decide(rules, takeOne, path === undefined ? [] : [path], verdict);
    return { verdict, answer: toAnswer(decision) };
  };
  const checkAll = (userAgent: GuardedRequest["userAgent"]): Verdict => {
    if (typeof userAgent === "string") return toVerdict(userAgent);
    const verdicts = (userAgent ?? [""]).map((text) => toVerdict(text));
    return verdicts.find(({ useragent, crawler }) => crawler && useragent !== "") ?? verdicts[0]!;
  };
  return {
    check: checkAll,
    decide({ userAgent, ip, method, path, headers }: GuardedRequest): Guarded | Promise<Guarded> {
      const verdict = once(() => checkAll(userAgent));
      if (verifier === undefined) return applyPolicy(path, verdict);
      const verified = verifier.verifyRequest(verdict(), { ip: ip(), method, path, headers }, waitMs);
      if (verified instanceof Promise) return verified.then((verified) => applyPolicy(path, () => verified));
      return applyPolicy(path, () => verified);
    },
  };
}

/** The user agent of a request that node:http has received, or all of several, of which `headers` has only the first. */
export function userAgentOf(
  headers: { readonly "user-agent"?: string | undefined },
  rawHeaders: readonly string[] = [],
): string | readonly string[] | undefined {
  const found = rawHeaders.filter((_, index) => index % 2 === 1 && /^user-agent$/i.test(rawHeaders[index - 1]!));
  return found.length > 1 ? found : headers["user-agent"];
}

function toAnswer({ action, retryAfter }: Decision): GuardAnswer | undefined {
  if (action === "limit") return { status: 429, headers: { ...type, "retry-after": retryAfter }, text: tooMany };
  return action === "refuse" ? refusal : undefined;
}

/** Makes what the word `disallowed` asks. */
function createDisallowed(
  { robots, caseInsensitivePaths = false }: { readonly [Name in keyof GuardOptions]: unknown },
  crawlers: readonly ItemFacts[],
): IsDisallowed {
  if (typeof caseInsensitivePaths !== "boolean") throw new TypeError("`caseInsensitivePaths` must be true or false.");
  if (typeof robots !== "string") throw new TypeError("`robots` must be the text of a robots.txt.");
  if (!caseInsensitivePaths) return createIsDisallowed(readRules(robots), indexByName(crawlers));
  const isDisallowed = createIsDisallowed(readRules(toOneCase(robots)), indexByName(crawlers));
  return (path, verdict) => isDisallowed(toOneCase(path), verdict);
}

/** Reads the text of the option `robots`. Rejects text that is not a robots.txt, because it would refuse no request. */
function readRules(robots: string): Robots {
  const damage = findInvalidContent(robots);
  if (damage !== undefined) throw new TypeError(`\`robots\`, line ${damage.line}: ${damage.reason}.`);
  const file = parseRobots(robots);
  if (file.cutAt !== undefined) throw new TypeError("`robots` is larger than 500 KiB; crawlers do not read the rest.");
  const excess = findManyPatterns(file);
  if (excess !== undefined) throw new TypeError(`\`robots\`, line ${excess.line}: ${excess.reason}.`);
  if (file.groups.length === 0)
    throw new TypeError("`robots` must be the text of a robots.txt, not its path; it has no User-agent line.");
  return createRobots(file);
}

const warned = new Set<string>();

/** Warns about a policy once per process, through the verifier that such a policy needs. */
function warnOnce(text: string | undefined, verifier: RequestVerifier | undefined): void {
  if (text === undefined || warned.has(text)) return;
  warned.add(text);
  verifier?.report?.(text);
}

/** Checks at run time, for callers in JavaScript. */
function checkValues(options: { readonly [Name in keyof AllOptions]: unknown }, knowsAddress: boolean): void {
  const { block, detector, observe, onBlock, verifier, waitMs, addressOf } = options;
  if (detector !== undefined) expectDetector(detector);
  if (block === undefined && "block" in options)
    throw new TypeError("`block` is undefined, so every crawler would pass; omit it if that is intended.");
  if (block === undefined && onBlock !== undefined)
    throw new TypeError("`onBlock` needs `block`: it responds to blocked requests.");
  if (observe !== undefined && typeof observe !== "boolean") throw new TypeError("`observe` must be true or false.");
  if (onBlock !== undefined && typeof onBlock !== "function") throw new TypeError("`onBlock` must be a function.");
  if (addressOf !== undefined && typeof addressOf !== "function")
    throw new TypeError("`addressOf` must be a function that returns the client's address.");
  if (verifier === undefined) {
    for (const name of ["verifier", "waitMs", "addressOf"])
      if (name in options)
        throw new TypeError(`\`${name}\` ${name === "verifier" ? "is undefined" : "needs `verifier`"}.`);
    return;
  }
  checkVerifier(verifier, detector);
  if (waitMs !== undefined && !(typeof waitMs === "number" && waitMs >= 0 && waitMs <= 5000))
    throw new TypeError("`waitMs` must be a number of milliseconds from 0 to 5000.");
  if (addressOf === undefined && !knowsAddress)
    throw new TypeError("`verifier` needs `addressOf`, a function that returns the client's address.");
}

function checkVerifier(verifier: unknown, detector: unknown): void {
  const { verifyRequest, detector: own } = (verifier ?? {}) as Partial<RequestVerifier>;
  if (typeof verifyRequest !== "function" || own === undefined)
    throw new TypeError("`verifier` must be a verifier, such as the result of createVerifier() from whocrawls/verify.");
  if (detector !== undefined && detector !== own)
    throw new TypeError(
      "`detector` differs from the detector of `verifier`: pass it to createVerifier(), and omit it here.",
    );
}
