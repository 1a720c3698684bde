/** The verdict: the answer of Check about one user agent. */
import type { Category } from "./categories.ts";
import type { CompiledCatalogue } from "./compiled-catalogue.ts";
import type { CrawlerFacts } from "./facts.ts";
import type { Signal } from "./signals.ts";
import type { CrawlerAddress, Network, Verification } from "./verification.ts";

/** A user agent as it comes with a request; a missing header is the empty string. */
export type UserAgent = string | null | undefined;

/** The answer for a crawler's user agent; facts that are not known are absent. */
export interface CrawlerVerdict extends CrawlerFacts {
  readonly useragent: string;
  readonly crawler: true;
  /** The entry's name, or the product token that carries the match, such as `FooBot` of `FooBot/1.2`. */
  readonly name?: string;
  /** The catalogue's pattern that matched. */
  readonly pattern: string;
  /** The part of the user agent that matched it. */
  readonly match: string;
  /**
   * Whether the request is really from this crawler; only if more than the user agent is known. For a person's user agent: whether
   * a known agent has signed the request; present only if it is signed.
   */
  readonly verification?: Verification;
  /** The network of the client's address; only if the address is known, and in the list of a network. */
  readonly network?: Network;
  /** Whose crawlers have the client's address; only if it is known, and in a list of crawlers and no others. */
  readonly crawlerAddress?: CrawlerAddress;
  /** What contradicts the user agent in the request's header fields; only if they are known and at least one does. */
  readonly signals?: readonly Signal[];
}

/** The answer for any other user agent. */
export type PersonVerdict = Pick<CrawlerVerdict, "useragent" | Finding> & { readonly crawler: false } & {
  readonly [Fact in Exclude<keyof CrawlerVerdict, "useragent" | "crawler" | Finding>]?: never;
};

/** Facts about a request, not about its user agent. */
type Finding = "verification" | "network" | "crawlerAddress" | "signals";

/** The answer for one user agent; `crawler` tells which of the two it is. */
export type Verdict = CrawlerVerdict | PersonVerdict;

/** A part of the user agent; offsets count UTF-16 units, as in JavaScript's strings. */
export interface ExplainedPart {
  readonly pattern: string;
  readonly start: number;
  /** The offset after the last character. */
  readonly end: number;
  readonly text: string;
}

/** An exception that contains an occurrence of a rule. */
export interface ExplainedException extends ExplainedPart {
  readonly why: string;
}

/** An occurrence of an entry or a rule. */
export interface ExplainedMatch extends ExplainedPart {
  readonly kind: "entry" | "rule";
  readonly name: string;
  readonly category: Category;
  /** Whether it alone makes the user agent a crawler: it is an alternative of the expression, and no exception applies. */
  readonly decides: boolean;
  /** The exceptions that contain it; absent if there are none. */
  readonly heldBackBy?: readonly ExplainedException[];
  /** Present for an entry that is not in the expression: it names the crawler, and another item decides. */
  readonly namesOnly?: true;
}

/** A verdict with all items and exceptions that matched. */
export type ExplainedVerdict = Verdict & Explained;

/** The same of a crawler. */
export type ExplainedCrawler = CrawlerVerdict & Explained;

interface Explained {
  /** In the order of precedence. The first to which no exception applies gives a crawler's verdict its facts. */
  readonly explanation: readonly ExplainedMatch[];
}

/** Decides about user agents; pure, and the same in every runtime. */
export interface Detector {
  readonly catalogue: CompiledCatalogue;
  /** Catalogue version. */
  readonly version: string;
  /** Number of entries. */
  readonly entries: number;
  /** The expression that decides, in the portable flavor. */
  readonly expression: string;
  /** The alternatives of the expression, each compilable on its own. */
  readonly alternatives: readonly string[];
  isCrawler(useragent: UserAgent): boolean;
  /** The same of bytes: ASCII, Latin-1 or UTF-8, from `from` to before `to`. */
  isCrawlerBytes(useragent: Uint8Array | null | undefined, from?: number, to?: number): boolean;
  check(useragent: UserAgent): Verdict;
  /** The verdict with all items and exceptions that matched; takes about a millisecond. */
  explain(useragent: UserAgent): ExplainedVerdict;
  /** The strings the catalogue was evaluated against. */
  strings(): readonly string[];
}
