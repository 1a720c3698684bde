/** Explains the verdicts of the detector that this package was built with; what that needs is made at the first call. */
import { signs } from "../generated/identification.ts";
import { namesOnly, signatures } from "../generated/signatures.ts";
import { detector } from "./default.ts";
import { createExplainer, type ExplainedMatch, type ExplainedVerdict, type SignatureFacts } from "./explain.ts";
import type { SignFacts } from "./identify.ts";

let explainer: ((useragent: string) => ExplainedMatch[]) | undefined;

/** The verdict on `useragent` with its explanation; never throws, but takes about a millisecond. */
export function explain(useragent: string): ExplainedVerdict {
  explainer ??= createExplainer({
    signs: JSON.parse(signs) as SignFacts[],
    signatures: JSON.parse(signatures) as SignatureFacts[],
    namesOnly,
  });
  return { ...detector.check(useragent), explanation: explainer(useragent) };
}
