/** Adds to a verdict what the evidence beside the user agent says: `verification`, `network`,
 * `crawlerAddress` and `signals`. The only place that does. */

import type { Verdict } from "../detect/verdict.ts";
import type { Network, Verification } from "../detect/verification.ts";
import type { ClaimVerifier, Evidence, LookupClient } from "./evidence.ts";
import { hasField } from "./request-headers.ts";
import type { Signals } from "./signals/signals.ts";

/** What reads evidence; each part adds a member, or none if it is absent. */
export interface EvidenceReaders {
  readonly verifier: ClaimVerifier | undefined;
  readonly networks: { find(ip: string): Network | undefined } | undefined;
  readonly signals?: Signals | undefined;
}

/** Whether evidence is read at all; if not, it may be anything. */
export function readsEvidence({ verifier, networks }: EvidenceReaders): boolean {
  return verifier !== undefined || networks !== undefined;
}

/** Reads the evidence as `verifier.verify` does: no promise where nothing is waited for. `last` is as in withFindings. */
export function verifyVerdict(
  readers: EvidenceReaders,
  verdict: Verdict,
  evidence: Evidence,
  waitMs: number,
  lookupClient?: LookupClient,
  last?: Verdict,
): Verdict | Promise<Verdict> {
  // Of people's requests only signatures say something.
  const isVerified =
    verdict.crawler || (evidence.headers !== undefined && hasField(evidence.headers, "signature-input"));
  const verification = isVerified ? readers.verifier?.verify(verdict, evidence, waitMs, lookupClient) : undefined;
  return verification instanceof Promise
    ? verification.then((verification) => withFindings(readers, verdict, evidence, verification, last))
    : withFindings(readers, verdict, evidence, verification, last);
}

/**
 * The verdict with what was found; `last`, what was answered to the same evidence the last time, if it says the same, because that is
 * written already.
 */
function withFindings(
  { verifier, networks, signals: reader }: EvidenceReaders,
  verdict: Verdict,
  { ip, headers }: Evidence,
  verification: Verification | undefined,
  last: Verdict | undefined,
): Verdict {
  const network = ip === undefined ? undefined : networks?.find(ip);
  const crawlerAddress = ip === undefined ? undefined : verifier?.crawlerAddress?.(ip);
  const isSameAddress = last?.network === network && last?.crawlerAddress === crawlerAddress;
  if (last !== undefined && isSameAddress && isSame(last.verification, verification)) return last;
  // They are about the evidence alone, so that they stay the same.
  const found = last === undefined ? headers && reader?.find(verdict, headers) : last.signals;
  const signals = found?.length ? found : undefined;
  const findings = {
    ...(verification && { verification }),
    ...(network && { network }),
    ...(crawlerAddress && { crawlerAddress }),
    ...(signals && { signals }),
  };
  return Object.keys(findings).length === 0 ? verdict : ({ ...verdict, ...findings } as Verdict);
}

function isSame(one: Verification | undefined, other: Verification | undefined): boolean {
  const isSameText = one?.reason === other?.reason && one?.asOf === other?.asOf;
  return one === other || (isSameText && one?.agent?.url === other?.agent?.url);
}
