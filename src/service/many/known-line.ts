/** What is remembered of a line of CheckMany. */
import type { Verdict } from "../../detect/verdict.ts";
import type { Asker } from "../../verify/evidence.ts";
import { type EvidenceReaders, knownVerdict } from "../../verify/verify-verdict.ts";
import type { Question } from "../check/check-request.ts";

/** The result of a line: its verdict, unless it is invalid or empty, and the answer's line. */
export interface KnownLine {
  readonly verdict: Verdict | undefined;
  readonly answer: Uint8Array;
  /** Answers it again: present for lines with evidence, because what it says may have changed. */
  readonly renew?: (asker: Asker) => KnownLine;
}

const encoder = new TextEncoder();

export const toLine = (value: object): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`);

/** Makes the function that answers a line with evidence; a line that says the same again is written once. */
export function createRenew(
  plain: { readonly verdict: Verdict; readonly answer: Uint8Array },
  question: Question,
  readers: EvidenceReaders,
): NonNullable<KnownLine["renew"]> {
  let last: typeof plain | undefined;
  return (asker) => {
    const verdict = knownVerdict(readers, plain.verdict, question, asker, last?.verdict);
    if (last === undefined || verdict !== last.verdict)
      last = verdict === plain.verdict ? plain : { verdict, answer: toLine(verdict) };
    return last;
  };
}
