/** The common parts of the adapters of web frameworks: a lazy verdict on a request, the policy that refuses requests, and its options. */
import { check } from "../detect/built-in/check.ts";
import { items } from "../detect/built-in/items.ts";
import {
  findCancelledBlock,
  namesDisallowed,
  type Policy,
  type PolicyWords,
  parsePolicy,
} from "../detect/policy/policy.ts";
import type { Detector, Verdict } from "../detect/verdict.ts";
import { createRobots, findManyPatterns, type Robots } from "../robots/crawler-rules.ts";
import { createIsDisallowed, indexByName } from "../robots/disallowed.ts";
import { parseRobots } from "../robots/robots-file.ts";
import { findDamage } from "../robots/robots-text.ts";
import { checkOptions, expectDetector } from "../text/nearest-word.ts";
import { createCrawlerLimit, type LimitOptions, type RetryAfterOf } from "./crawler-limit.ts";

export type { CrawlerName, PolicyWord } from "../detect/policy/policy.ts";
export type { Detector, Verdict } from "../detect/verdict.ts";
export type { CrawlerRate } from "./crawler-limit.ts";

/** Which crawlers are refused, such as `{ block: ["ai", "seo"], allow: ["ai:search", "AhrefsBot"] }`; adapters add `onBlock`. */
export interface GuardOptions extends PolicyWords, LimitOptions {
  /** True refuses and limits no request, to test a policy first. Default false. */
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

/** How an adapter reads requests. */
export interface Guard {
  readonly refuses: Policy;
  /** Asked about each request that the policy does not refuse. */
  readonly retryAfterOf: RetryAfterOf;
  /** A function that makes the verdict when it is first called; a missing user agent is the empty string. */
  readonly lazyVerdict: (userAgent: string | null | undefined) => () => Verdict;
  /** Undefined without a verifier. */
  readonly verify: ((verdict: Verdict, request: RequestFacts) => Verdict | Promise<Verdict>) | undefined;
}

/** The client's address as an application finds it; undefined if it is unknown. A method, so that functions of a framework's types fit. */
export type AddressOf<Input extends readonly unknown[]> = { of(...input: Input): string | undefined }["of"];

/** The answer to a refused request, if the application has no `onBlock`. */
export const refusal = "Crawlers of this kind are not wanted here.\n";
export const refusalType = "text/plain; charset=utf-8";

const example = 'crawlers({ block: "ai" })';
const optionNames = [
  ...["block", "allow", "limit", "limitBy", "detector", "verifier", "waitMs", "addressOf", "observe", "onBlock"],
  "robots",
];

const noRobots = "this middleware has no `robots`, the text of the site's robots.txt.";

const unverified =
  "this middleware has no `verifier`. Add one on Node or Bun: createVerifier({ refresh: true }) of whocrawls/verify.";

type AllOptions = GuardOptions & { readonly onBlock?: unknown; readonly addressOf?: unknown };

/**
 * Reads the options. Throws TypeError for a wrong option, and SelectionError for a word that selects no crawler. `knowsAddress`
 * is true if the framework tells the client's address; `furtherNames` are options that only its adapter has.
 */
export function createGuard(options: AllOptions, knowsAddress: boolean, furtherNames: readonly string[] = []): Guard {
  checkOptions("crawlers()", example, [...optionNames, ...furtherNames], options);
  checkValues(options, knowsAddress);
  const { verifier, observe, waitMs = 1000 } = options;
  const detector = options.detector ?? verifier?.detector;
  const missing = verifier ? {} : { verification: unverified, network: unverified, signal: unverified };
  const crawlers = detector ? detector.catalogue.items : items();
  const robots =
    options.robots === undefined ? noRobots : createIsDisallowed(readRules(options.robots), indexByName(crawlers));
  const policy = parsePolicy(options, { crawlers, missing, robots });
  const retryAfterOf = createCrawlerLimit(options, crawlers);
  if (options.robots !== undefined && !namesDisallowed(options))
    throw new TypeError('`robots` needs the word "disallowed" in `block`.');
  warnOnce(findCancelledBlock(options), verifier);
  return {
    refuses: observe ? () => false : policy,
    retryAfterOf: observe ? () => undefined : retryAfterOf,
    lazyVerdict: createLazyVerdict(detector?.check ?? check),
    verify: verifier && ((verdict, request) => verifier.verifyRequest(verdict, request, waitMs)),
  };
}

/** Reads the option `robots`. What is no robots.txt would refuse no request. */
function readRules(robots: unknown): Robots {
  if (typeof robots !== "string") throw new TypeError("`robots` must be the text of a robots.txt.");
  const damage = findDamage(robots);
  if (damage !== undefined) throw new TypeError(`\`robots\`, line ${damage.line}: ${damage.reason}.`);
  const file = parseRobots(robots);
  if (file.cutAt !== undefined) throw new TypeError("`robots` is larger than 500 KiB; crawlers do not read the rest.");
  const excess = findManyPatterns(file);
  if (excess !== undefined) throw new TypeError(`\`robots\`, line ${excess.line}: ${excess.reason}.`);
  if (file.groups.length === 0)
    throw new TypeError("`robots` must be the text of a robots.txt, not its path; it has no line User-agent.");
  return createRobots(file);
}

const warned = new Set<string>();

/** Warns of a policy once in a process, through the verifier that such a policy needs. */
function warnOnce(text: string | undefined, verifier: RequestVerifier | undefined): void {
  if (text === undefined || warned.has(text)) return;
  warned.add(text);
  verifier?.report?.(text);
}

/** The path and query of a web request, as they were sent. */
export function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
}

function createLazyVerdict(check: Detector["check"]): Guard["lazyVerdict"] {
  return (userAgent) => {
    let verdict: Verdict | undefined;
    return () => {
      verdict ??= check(userAgent ?? "");
      return verdict;
    };
  };
}

/** For callers in JavaScript. */
function checkValues(options: { readonly [Name in keyof AllOptions]: unknown }, knowsAddress: boolean): void {
  const { block, detector, observe, onBlock, verifier, waitMs, addressOf } = options;
  if (detector !== undefined) expectDetector(detector);
  if (block === undefined && "block" in options)
    throw new TypeError("`block` is undefined, so that every crawler would pass; leave it out if that is meant.");
  if (block === undefined && onBlock !== undefined)
    throw new TypeError("`onBlock` needs `block`: it answers refused requests.");
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
    throw new TypeError("`verifier` must be a verifier, such as createVerifier() of whocrawls/verify returns.");
  if (detector !== undefined && detector !== own)
    throw new TypeError(
      "`detector` differs from the detector of `verifier`: give it to createVerifier(), and leave it out here.",
    );
}
