/** Adds to a verdict what the evidence beside the user agent says: `verification`, `network`,
 * `crawlerAddress` and `signals`. The only place that does. */

import type { Verdict } from "../detect/verdict.ts";
import type { Verification } from "../detect/verification.ts";
import type { ClaimVerifier, Evidence, LookupClient } from "./evidence.ts";
import type { Networks } from "./networks/networks.ts";
import { hasField } from "./request-headers.ts";
import type { Signals } from "./signals/signals.ts";

/** What reads evidence; each part adds a member, or none if it is absent. */
export interface EvidenceReaders {
  readonly verifier: ClaimVerifier | undefined;
  readonly networks: (Pick<Networks, "find"> & Partial<Pick<Networks, "open">>) | undefined;
  readonly signals?: Signals | undefined;
}

/** Whether evidence is read at all; if not, it may be anything. */
export function readsEvidence({ verifier, networks }: EvidenceReaders): boolean {
  return verifier !== undefined || networks !== undefined;
}

/** Reads the evidence as `verifier.verify` does: no promise where nothing is waited for. */
export function verifyVerdict(
  readers: EvidenceReaders,
  verdict: Verdict,
  evidence: Evidence,
  waitMs: number,
  lookupClient?: LookupClient,
): Verdict | Promise<Verdict> {
  const opening = evidence.ip === undefined ? undefined : readers.networks?.open?.();
  if (opening !== undefined) return opening.then(() => verifyVerdict(readers, verdict, evidence, waitMs, lookupClient));
  // Of people's requests only signatures say something.
  const isVerified =
    verdict.crawler || (evidence.headers !== undefined && hasField(evidence.headers, "signature-input"));
  const verification = isVerified ? readers.verifier?.verify(verdict, evidence, waitMs, lookupClient) : undefined;
  return verification instanceof Promise
    ? verification.then((verification) => withFindings(readers, verdict, evidence, verification))
    : withFindings(readers, verdict, evidence, verification);
}

/** The verdict with what was found. */
function withFindings(
  { verifier, networks, signals: reader }: EvidenceReaders,
  verdict: Verdict,
  { ip, headers }: Evidence,
  verification: Verification | undefined,
): Verdict {
  const network = ip === undefined ? undefined : networks?.find(ip);
  const crawlerAddress = ip === undefined ? undefined : verifier?.crawlerAddress?.(ip);
  const found = headers && reader?.find(verdict, headers);
  const signals = found?.length ? found : undefined;
  const findings = {
    ...(verification && { verification }),
    ...(network && { network }),
    ...(crawlerAddress && { crawlerAddress }),
    ...(signals && { signals }),
  };
  return Object.keys(findings).length === 0 ? verdict : ({ ...verdict, ...findings } as Verdict);
}
