/** The package's entry `whocrawls/verify`: whether a request is of the crawler that its user agent names. Needs Node or Bun. */
import { detector as builtIn } from "./detect/built-in/detector.ts";
import { checkOptions, expectDetector } from "./detect/policy/nearest-word.ts";
import type { Detector, UserAgent, Verdict } from "./detect/verdict.ts";
import { parseSigner } from "./verify/agents/signers.ts";
import type { Evidence } from "./verify/evidence.ts";
import { parseAuthority } from "./verify/signature/authority.ts";
import { type EvidenceReaders, verifyVerdict } from "./verify/verify-verdict.ts";

export type { Detector, UserAgent, Verdict } from "./detect/verdict.ts";
export type {
  Network,
  NetworkKind,
  Verification,
  VerificationMethod,
  VerificationStatus,
} from "./detect/verification.ts";
export type { Evidence } from "./verify/evidence.ts";
export type { RequestHeaders } from "./verify/signature/request-headers.ts";

export interface VerifyOptions {
  /** How long to wait for DNS and for keys, in milliseconds; what takes longer is unverifiable for now. Default 5000. */
  readonly waitMs?: number;
}

export interface VerifierOptions {
  /**
   * The site's own names, `www.example.com` or with a port unless it is 80 or 443. Signatures are verified for requests to
   * these only: anyone can send on what was signed for another site. Default: none, so that no signature is verified.
   */
  readonly authority?: readonly string[];
  /**
   * Addresses of signature agents whose signatures are verified beside those of the catalogue: directories, key sets, cards and
   * registries. Default: none.
   */
  readonly signers?: readonly string[];
  /** Gives the verdicts, and knows how crawlers can be verified. Default: that of this package. */
  readonly detector?: Detector;
}

export interface Verifier {
  /** As the function `verify`. */
  verify(useragent: UserAgent, evidence: Evidence, options?: VerifyOptions): Promise<Verdict>;
}

/**
 * Makes a verifier of the requests to a site, with its own memory of lookups, keys and signatures. Throws a TypeError if
 * `authority` is not a list of names, `signers` is not one of addresses or `detector` is none, and for an unknown option.
 *
 * @example
 * const { verify } = createVerifier({ authority: ["www.example.com"] });
 * const verdict = await verify(request.headers.get("user-agent"), { ip, headers: request.headers });
 */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  checkOptions(
    "createVerifier()",
    'createVerifier({ authority: ["www.example.com"] })',
    ["authority", "signers", "detector"],
    options,
  );
  const { authority = [], signers = [], detector = builtIn } = options;
  expectDetector(detector);
  const own = parseEach("authority", authority, parseAuthority);
  const listed = parseEach("signers", signers, parseSigner);
  /** Made at the first question: the lists are a third of a megabyte. */
  let readers: Promise<EvidenceReaders> | undefined;
  return {
    async verify(useragent, evidence, wait = {}) {
      if (typeof evidence !== "object" || evidence === null)
        throw new TypeError("verify() takes the evidence as an object, such as { ip, headers }.");
      checkOptions("The second argument of verify()", "{ ip, headers }", ["ip", "headers"], evidence);
      checkOptions("The third argument of verify()", "{ waitMs: 300 }", ["waitMs"], wait);
      const { waitMs = 5000 } = wait;
      const verdict = detector.check(useragent);
      readers ??= import("./verify/default-readers.ts").then(({ createDefaultReaders }) =>
        createDefaultReaders(detector.catalogue.verification, { authority: own, signers: listed }),
      );
      return verifyVerdict(await readers, verdict, evidence, waitMs);
    },
  };
}

/**
 * The verdict on `useragent`, for a crawler `verification`: verified, spoofed or unverifiable, by which method and why, and for every
 * client whose address is in the list of a network `network`: its kind and its provider.
 * `ip` is the client's address, `headers` are the request's fields. Rejects with a TypeError for no string,
 * no object, and unknown options; answers all else.
 * Signatures need the site's names: use `createVerifier`.
 */
export function verify(useragent: UserAgent, evidence: Evidence, options?: VerifyOptions): Promise<Verdict> {
  return withoutAuthority.verify(useragent, evidence, options);
}

const withoutAuthority = createVerifier();

function parseEach(name: string, texts: readonly string[], parse: (text: string) => string): readonly string[] {
  try {
    if (!Array.isArray(texts)) throw new Error("it must be a list.");
    return texts.map((text) => parse(String(text)));
  } catch (error) {
    throw new TypeError(`${name} is ${JSON.stringify(texts)}; ${(error as Error).message}`);
  }
}
