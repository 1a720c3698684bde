/**
 * Remembers the answers to the bodies that Check was sent lately: most user agents come again and again, and finding an
 * answer takes a tenth of the time of working it out. Bounded, and a flood of new strings costs it next to nothing.
 */
import type { Verdict } from "../detect/verdict.ts";
import type { Question } from "./evidence.ts";
import type { Format } from "./formats.ts";

/** A verdict in the formats in which it was written already. */
export interface WrittenVerdict {
  readonly verdict: Verdict;
  readonly written: Partial<Record<Format, string>>;
}

export interface KnownAnswer {
  readonly answer: WrittenVerdict;
  /** What else the body says, which may be answered otherwise the next time. */
  readonly question: Question | undefined;
  /** The answer to that, as it was the last time. */
  verified: WrittenVerdict | undefined;
}

export interface AnswerCache {
  find(body: string): KnownAnswer | undefined;
  keep(body: string, verdict: Verdict, question: Question | undefined): KnownAnswer;
}

/** Two generations of so many: about 4 MB when both are full of strings of usual length, 16 MB at most. */
const generationSize = 2048;
/** Longer ones are not kept, so that memory has a bound. */
const longestBody = 1024;

/** Makes a cache whose older half leaves whenever the younger is full; what is found moves to the younger. */
export function createAnswerCache(): AnswerCache {
  let young = new Map<string, KnownAnswer>();
  let old = new Map<string, KnownAnswer>();

  function add(body: string, answer: KnownAnswer): void {
    if (young.size >= generationSize) {
      old = young;
      young = new Map();
    }
    young.set(body, answer);
  }

  return {
    find(body) {
      const found = young.get(body);
      if (found !== undefined) return found;
      const older = old.get(body);
      if (older !== undefined) add(body, older);
      return older;
    },
    keep(body, verdict, question) {
      const known = { answer: { verdict, written: {} }, question, verified: undefined };
      if (body.length <= longestBody) add(body, known);
      return known;
    },
  };
}
