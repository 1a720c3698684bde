/**
 * The policies that proxies send to /auth: reads each once and keeps those in use. A word that cannot be used is left out with a warning.
 * After any other mistake a policy refuses all crawlers: a mistake must neither let crawlers through nor keep people out.
 */
import { LRUCache } from "lru-cache";
import type { Rules } from "../../detect/policy/decide.ts";
import { limitKeys, parseLimits, splitLimits } from "../../detect/policy/limits.ts";
import { findCancelledBlock, namesDisallowed, parsePolicy, type Selectable } from "../../detect/policy/policy.ts";
import { allWordsOf, SelectionError, splitWords } from "../../detect/policy/selection.ts";
import { familyOf, maxSuggested } from "../../detect/policy/words.ts";
import type { RequestContext } from "../../http/context.ts";
import { Problem, type ProblemDetails } from "../../http/problems.ts";
import { anyText, flag, numberUpTo, oneWord, parseQuery, refuseUnknown } from "../../http/query.ts";
import { quote } from "../../text/plain-text.ts";
import { maxWaitMs } from "../limits.ts";

const observe = flag("If present, no request gets 403 or 429; use it to test a policy.");

export const authParameters = {
  block: anyText(
    "Crawlers that get 403: categories, optionally with a purpose, names, `spoofed`, `unproven`, `disallowed` by robots.txt, networks (`network:tor`) and signals (`signal:no-sec-fetch`), separated by commas.",
    "ai,seo,spoofed,unproven",
  ),
  allow: anyText(
    "Exceptions to `block`, which do not apply if `block` names `spoofed` or `unproven`; `verified` means verified crawlers.",
    "ai:search,ai:agent",
  ),
  limit: anyText(
    "How often crawlers may make requests before they get 429: words, as in `block`, each with a rate per second (`/s`), minute (`/m`) or hour (`/h`). The most specific word applies.",
    "ai:30/m,GPTBot:10/m",
  ),
  "limit-by": oneWord(
    limitKeys,
    "What `limit` counts together: requests of a crawler's name (default), or of all crawlers of an operator.",
  ),
  wait: numberUpTo(
    maxWaitMs,
    "Maximum time to wait for the verification of a crawler, in milliseconds; default 0.",
    500,
  ),
  ask: oneWord(["signature"], "`signature` adds `Accept-Signature` to 403, which asks the client to sign its request."),
  observe,
};

export interface AuthPolicy {
  readonly rules: Rules;
  /** Whether the policy names a signal; only then they are looked for. */
  readonly namesSignal: boolean;
  readonly waitMs: number;
  readonly asksSignature: boolean;
  /** Why the policy refuses all crawlers; undefined if it can be used. */
  readonly mistake: ProblemDetails | undefined;
  /** The mistake of a request without a path. */
  readonly mistakeWithoutPath: ProblemDetails | undefined;
  /** What is wrong with the policy, for /readyz. */
  readonly warnings: readonly string[];
  /** A note about an effect of the policy that is seldom intended. */
  readonly note: string | undefined;
}

/** A policy seldom has more than ten words. Each takes time, and a client that reaches the service can send any policy. */
const maxWords = 1000;
/** Whoever writes so many words that cannot be used has made another mistake. */
const maxUnusable = 100;
/** A proxy has one or a few policies. */
const maxPolicies = 40;
/** More warnings are not shown: a client that reaches the service can send any policy. */
const maxWarnings = 20;
/** A policy that was not sent for an hour has been corrected. */
const inUseMs = 3_600_000;
const reportMs = 60_000;

interface Kept {
  readonly query: string | null;
  policy: AuthPolicy;
  /** What it was read with. */
  selectable: Selectable;
  askedMs: number;
}

/** The policies of a service; `nowMs` is a clock that only goes forward. */
export class AuthPolicies {
  readonly #nowMs: () => number;
  readonly #kept = new LRUCache<string, Kept>({ max: maxPolicies });
  #selectable: Selectable | undefined;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #withoutPathMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Reads policies, those that are kept too, with another catalogue from now on. */
  use(selectable: Selectable): void {
    this.#selectable = selectable;
  }

  /** Reads the policies that are kept with the catalogue in use, so that neither a request nor /readyz has to wait for all of them. */
  *prepare(): Generator<undefined, void> {
    allWordsOf(this.#selectable!.crawlers);
    for (const kept of this.#kept.values()) {
      yield;
      this.#refresh(kept);
    }
  }

  /**
   * The policy of a query, or of a header; null without the header. Its warnings become that of the request's log line, once a minute.
   */
  read(query: string | null, context: RequestContext): AuthPolicy {
    const nowMs = this.#nowMs();
    // No query contains NUL.
    const key = query ?? "\0";
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      const selectable = this.#selectable!;
      kept = { query, policy: parseAuthPolicy(query, selectable), selectable, askedMs: nowMs };
      this.#kept.set(key, kept);
      if (kept.policy.note !== undefined) context.warning = `The /auth policy: ${kept.policy.note}`;
    }
    kept.askedMs = nowMs;
    const policy = this.#refresh(kept);
    if (policy.warnings.length > 0) this.#report(context);
    return policy;
  }

  /** Notes that the policy names `disallowed` and the request has no path. */
  noteWithoutPath(context: RequestContext): void {
    this.#withoutPathMs = this.#nowMs();
    this.#report(context);
  }

  /** What is wrong with the policies that were sent within an hour, the last ones first. */
  warnings(): readonly string[] {
    const sinceMs = this.#nowMs() - inUseMs;
    const ofPolicies = [...this.#kept.values()]
      .filter(({ askedMs }) => askedMs >= sinceMs)
      .flatMap((kept) => this.#refresh(kept).warnings);
    return [...(this.#withoutPathMs >= sinceMs ? [withoutPath] : []), ...ofPolicies].slice(0, maxWarnings);
  }

  #refresh(kept: Kept): AuthPolicy {
    if (kept.selectable !== this.#selectable) {
      kept.selectable = this.#selectable!;
      kept.policy = parseAuthPolicy(kept.query, kept.selectable);
    }
    return kept.policy;
  }

  #report(context: RequestContext): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#reportedMs < reportMs) return;
    this.#reportedMs = nowMs;
    context.warning = this.warnings().join(" ");
  }
}

const withoutPath =
  "A policy of /auth names `disallowed`, but requests have no path, so crawlers get 429: configure the proxy to send X-Forwarded-Uri or X-Original-URI.";

const passAll: Rules = { refuses: () => false, countOf: undefined };

function parseAuthPolicy(query: string | null, selectable: Selectable): AuthPolicy {
  const unusable: [option: string, message: string][] = [];
  try {
    return parseUsable(query, selectable, unusable);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof SelectionError)) throw error;
    const details = error instanceof Problem ? error.details : { detail: error.message };
    const detail = [...unusable.slice(0, maxSuggested).map(([, message]) => message), details.detail].join(" ");
    const isObserving = readsObserve(query);
    const effect = isObserving ? "it only observes" : "crawlers get 429";
    return {
      rules: passAll,
      namesSignal: false,
      waitMs: 0,
      asksSignature: false,
      mistake: isObserving ? undefined : { ...details, detail },
      mistakeWithoutPath: undefined,
      note: undefined,
      warnings: [`The policy ${quote(query ?? "")} of /auth cannot be used, so ${effect}. ${detail}`],
    };
  }
}

/** Whether a policy has `observe`, although another parameter is wrong. */
function readsObserve(query: string | null): boolean {
  try {
    return parseQuery(query ?? "", { observe }).observe === true;
  } catch {
    return false;
  }
}

/** Throws a Problem or a SelectionError for a mistake; adds words that are left out to `unusable`. */
function parseUsable(
  query: string | null,
  selectable: Selectable,
  unusable: [option: string, message: string][],
): AuthPolicy {
  // Here, a query such as /auth/?block=ai is the client's, so without the header there is no policy.
  if (query === null)
    throw new SelectionError(
      "Below /auth/, the policy must be in the header X-Crawler-Policy, such as `block=ai`; this header is missing.",
    );
  refuseUnknown(query, authParameters);
  const { ask, observe, wait = 0, limit, "limit-by": limitBy, ...words } = parseQuery(query, authParameters);
  if (limitBy !== undefined && limit === undefined)
    throw new Problem("bad-parameter", { parameter: "limit-by", detail: "`limit-by` needs `limit`." });
  const lists = [words.block, words.allow, limit].flatMap((list) => list ?? []);
  if (splitWords(lists).length > maxWords)
    throw new SelectionError(`A policy may have at most ${maxWords.toLocaleString("en")} words.`);
  const leaveOut = (option: string, { message }: SelectionError) => {
    unusable.push([option, message]);
    if (unusable.length <= maxUnusable) return;
    // The first one is told, with a suggestion.
    unusable.length = 1;
    throw new SelectionError(`More than ${maxUnusable} words of the policy cannot be used.`);
  };
  const refuses = parsePolicy(words, selectable, leaveOut);
  const entries = limit === undefined ? [] : splitLimits(limit);
  const countOf = parseLimits(entries, limitBy ?? "name", selectable.crawlers, leaveOut);
  const named = [words.block, words.allow].flatMap((words) => (words === undefined ? [] : splitWords(words)));
  const count = named.length + entries.length;
  if (count > 0 && unusable.length === count) throw new SelectionError("None of the words in the policy can be used.");
  const needsPath = !observe && typeof selectable.robots !== "string" && namesDisallowed(words);
  return {
    rules: observe ? passAll : { refuses, countOf },
    namesSignal: named.some((word) => familyOf(word) === "signal"),
    waitMs: wait,
    asksSignature: ask !== undefined,
    mistake: undefined,
    mistakeWithoutPath: needsPath ? { detail: withoutPath } : undefined,
    warnings: toWarnings(query, unusable),
    note: findCancelledBlock(words),
  };
}

function toWarnings(query: string, unusable: readonly [option: string, message: string][]): string[] {
  return ["block", "limit", "allow"].flatMap((option) => {
    const messages = unusable.flatMap(([of, message]) => (of === option ? [message] : []));
    if (messages.length === 0) return [];
    const more = messages.length - maxSuggested;
    const effect = option === "allow" ? "stricter" : "looser";
    return [
      `The policy ${quote(query)} of /auth is ${effect} than it says, because \`${option}\` has a word that cannot be used. ` +
        messages.slice(0, maxSuggested).join(" ") +
        (more > 0 ? ` ${more} more words cannot be used.` : ""),
    ];
  });
}
