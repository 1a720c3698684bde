/**
 * Caches the answers to the latest bodies of Check: most user agents are repeated, and a look-up takes a tenth of the time
 * of a new verdict. Bounded; a flood of new strings costs next to nothing.
 */
import type { Verdict } from "../../detect/verdict.ts";
import type { Format } from "../describe/answer-formats.ts";
import type { Question } from "./question.ts";

/** A verdict in the formats in which it was written already. */
export interface WrittenVerdict {
  readonly verdict: Verdict;
  readonly written: Partial<Record<Format, string>>;
}

export interface KnownAnswer {
  readonly answer: WrittenVerdict;
  /** What else the body asks, whose answer may change. */
  readonly question: Question | undefined;
  /** The answer to that, as it was the last time. */
  verified: WrittenVerdict | undefined;
}

export interface AnswerCache {
  find(body: string): KnownAnswer | undefined;
  keep(body: string, verdict: Verdict, question: Question | undefined): KnownAnswer;
}

/** Entries of each of two generations: about 4 MB with strings of usual length, at most 16 MB. */
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
