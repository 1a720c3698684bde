/** The package's entry `whocrawls/verify`: whether a request is from the crawler that its user agent names. Needs Node or Bun. */

import { toAddress } from "./address/address.ts";
import { detector as builtIn } from "./detect/built-in/detector.ts";
import type { Signal } from "./detect/signals.ts";
import type { Detector, UserAgent, Verdict } from "./detect/verdict.ts";
import { checkOptions, expectDetector } from "./text/nearest-word.ts";
import { type Evidence, type RequestFacts, toEvidence } from "./verify/evidence.ts";
import type { OpenedEvidence } from "./verify/open-evidence.ts";
import type { RequestHeaders } from "./verify/request-headers.ts";
import { createSignals, type Signals } from "./verify/signals/signals.ts";
import { parseSigner } from "./verify/signature/agent-address.ts";
import { parseAuthority } from "./verify/signature/authority.ts";
import { verifyVerdict } from "./verify/verify-verdict.ts";

export type { Signal, SignalId } from "./detect/signals.ts";
export type { Detector, UserAgent, Verdict } from "./detect/verdict.ts";
export type {
  CrawlerAddress,
  Network,
  NetworkKind,
  Verification,
  VerificationMethod,
  VerificationStatus,
} from "./detect/verification.ts";
export type { Evidence, RequestFacts } from "./verify/evidence.ts";
export type { RequestHeaders } from "./verify/request-headers.ts";

export interface VerifyOptions {
  /** How long to wait for DNS and for keys, in milliseconds; what takes longer is unverifiable for now. Default 5000. */
  readonly waitMs?: number;
}

export interface VerifierOptions {
  /**
   * The site's own names, `www.example.com` or with a port unless it is 80 or 443. Signatures are verified for requests to
   * these only: anyone can forward what was signed for another site. Default: none, so that no signature is verified.
   */
  readonly authority?: readonly string[];
  /**
   * Addresses of signature agents whose signatures are verified beside the agents of the catalogue: hosts with a directory of keys, and
   * key sets. Default: none.
   */
  readonly signers?: readonly string[];
  /** Gives the verdicts, and knows how crawlers can be verified. Default: this package's detector. */
  readonly detector?: Detector;
  /**
   * True downloads the operators' lists of addresses about once a day, as the service does, until `close()`. The timers do not
   * keep the process alive. Default false: the lists are the copies of the package, or the lists in `data`.
   */
  readonly refresh?: boolean;
  /**
   * The data folder of a service, or any folder. Lists in its folder `ranges` are used if they are newer than the package's;
   * with `refresh`, downloaded lists are kept there.
   */
  readonly data?: string;
  /**
   * Called with a line about each list that cannot be refreshed or kept, and once each if crawlers have only private addresses, and if many
   * requests come from CDNs. Default: a warning of the process.
   */
  readonly report?: (text: string) => void;
}

export interface Verifier {
  /** Gives the verdicts. */
  readonly detector: Detector;
  /** As the function `verify`. */
  verify(useragent: UserAgent, evidence: Evidence, options?: VerifyOptions): Promise<Verdict>;
  /**
   * The same for a request as a server has it; the middleware calls it. Returns no promise where it does not wait. Text that is
   * not an address counts as an unknown address.
   */
  verifyRequest(verdict: Verdict, request: RequestFacts, waitMs: number): Verdict | Promise<Verdict>;
  /** The option `report`; the middleware calls it with a warning about a policy. */
  readonly report: (text: string) => void;
  /** Ends refreshing; the verifier goes on with the lists that it has. */
  close(): void;
}

const optionNames = ["authority", "signers", "detector", "refresh", "data", "report"];

/**
 * Makes a verifier of the requests to a site, with its own memory of lookups, keys and signatures. Throws a TypeError for an
 * unknown option or a wrong value.
 *
 * @example
 * const { verify } = createVerifier({ authority: ["www.example.com"], refresh: true, data: "/var/lib/example" });
 * const verdict = await verify(request.headers.get("user-agent"), { ip, headers: request.headers });
 */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  checkOptions("createVerifier()", 'createVerifier({ authority: ["www.example.com"] })', optionNames, options);
  checkValues(options);
  const { authority = [], signers = [], detector = builtIn, refresh = false, data, report = warn } = options;
  const own = parseEach("authority", authority, parseAuthority);
  const listed = parseEach("signers", signers, parseSigner);
  let isClosed = false;
  /** The parts, once they have been opened. */
  let opened: OpenedEvidence | undefined;
  let opening: Promise<OpenedEvidence> | undefined;

  /** Called at the first question, unless there are lists to read: the package's copies are a third of a megabyte. */
  function open(): Promise<OpenedEvidence> {
    opening ??= import("./verify/open-evidence.ts").then(async ({ openEvidence }) => {
      const options = { authority: own, signers: listed, dataFolder: data, report };
      const evidence = openEvidence(detector.catalogue, options);
      await evidence.adopt();
      if (refresh && !isClosed) evidence.start();
      opened = evidence;
      return evidence;
    });
    return opening;
  }

  if (refresh || data !== undefined) void open();

  return {
    detector,
    report,
    async verify(useragent, evidence, wait = {}) {
      checkOptions("The second argument of verify()", "{ ip, headers }", ["ip", "headers"], evidence);
      checkOptions("The third argument of verify()", "{ waitMs: 300 }", ["waitMs"], wait);
      const { ip, headers } = evidence;
      if (ip !== undefined && (typeof ip !== "string" || toAddress(ip) === undefined))
        throw new TypeError(
          `\`ip\` is ${JSON.stringify(ip)}; it must be an IPv4 or IPv6 address without port, brackets or zone, such as "192.0.2.1", or undefined.`,
        );
      if (headers !== undefined) checkHeaders("verify()", headers);
      const { waitMs = 5000 } = wait;
      if (typeof waitMs !== "number" || !(waitMs >= 0))
        throw new TypeError("`waitMs` must be a number of milliseconds, at least 0.");
      const verdict = detector.check(useragent);
      return verifyVerdict(await open(), verdict, evidence, waitMs);
    },
    verifyRequest(verdict, request, waitMs) {
      const evidence = toEvidence(request);
      // One object per request: lookups are shared among clients.
      const lookupClient = { client: evidence.ip ?? "unknown" };
      if (opened !== undefined) return verifyVerdict(opened, verdict, evidence, waitMs, lookupClient);
      return open().then((readers) => verifyVerdict(readers, verdict, evidence, waitMs, lookupClient));
    },
    close() {
      isClosed = true;
      opened?.stop();
    },
  };
}

/**
 * The verdict on `useragent`, and for a crawler `verification`: verified, spoofed or unverifiable, by which method and why.
 * `ip` is the client's address, `headers` are the request's fields. Rejects with a TypeError for a non-string, a non-object, an `ip`
 * that is not an address, header fields that are not strings, and unknown options; never rejects otherwise.
 *
 * Its lists of addresses are the package's copies. An old list cannot prove that a request is spoofed, and after 30 days it cannot verify
 * one either. So crawlers that are verified by lists alone, such as GPTBot, OAI-SearchBot, PerplexityBot and DuckDuckBot, are unverifiable:
 * use
 * `createVerifier({ refresh: true })`. Signatures need the site's names: `createVerifier({ authority: ["www.example.com"] })`.
 */
export function verify(useragent: UserAgent, evidence: Evidence, options?: VerifyOptions): Promise<Verdict> {
  return withoutAuthority.verify(useragent, evidence, options);
}

const withoutAuthority = createVerifier();

/**
 * The contradictions between a user agent and the other header fields of its request, such as `{ id: "client-hints-version", because: "…"
 * }`; empty without one. Needs no `ip` and waits for nothing. Add `"x-forwarded-proto": "https"` if the request came over HTTPS.
 */
export function signalsOf(useragent: UserAgent, headers: RequestHeaders): readonly Signal[] {
  checkHeaders("signalsOf()", headers);
  signals ??= createSignals(builtIn.catalogue);
  return signals.find(builtIn.check(useragent), headers);
}

let signals: Signals | undefined;

function warn(text: string): void {
  process.emitWarning(text, "WhocrawlsWarning");
}

function checkHeaders(call: string, headers: unknown): void {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers) || headers instanceof Map)
    throw new TypeError(
      `${call} takes the header fields as an object, such as request.headers or Object.fromEntries(map).`,
    );
  if (typeof (headers as { readonly get?: unknown }).get === "function") return;
  for (const [name, value] of Object.entries(headers))
    for (const line of Array.isArray(value) ? value : [value === undefined ? "" : value])
      if (typeof line !== "string")
        throw new TypeError(
          `${call} takes header fields that are strings or lists of strings; ${JSON.stringify(name)} is not.`,
        );
}

/** For callers in JavaScript. */
function checkValues({ detector, refresh, data, report }: { readonly [Name in keyof VerifierOptions]: unknown }): void {
  if (detector !== undefined) expectDetector(detector);
  if (refresh !== undefined && typeof refresh !== "boolean") throw new TypeError("`refresh` must be true or false.");
  if (data !== undefined && (typeof data !== "string" || data === ""))
    throw new TypeError('`data` must be the path of a folder, such as "/var/lib/whocrawls".');
  if (report !== undefined && typeof report !== "function") throw new TypeError("`report` must be a function.");
}

function parseEach(name: string, texts: readonly string[], parse: (text: string) => string): readonly string[] {
  try {
    if (!Array.isArray(texts)) throw new Error("must be a list");
    return texts.map((text) => parse(String(text)));
  } catch (error) {
    throw new TypeError(
      `${name} is ${JSON.stringify(texts)}; ${Array.isArray(texts) ? "each" : "it"} ${(error as Error).message}.`,
    );
  }
}
