/** Decides about strings and bytes with the automata of a decision (decide.ts). */
import { accepts, acceptsBytes } from "./run.ts";
import type { Table } from "./tables.ts";

/** Answers for one text after another; both methods give one answer for one text. */
export interface Matcher {
  /** Whether `text` is accepted. */
  test(text: string): boolean;
  /**
   * Whether the bytes from `from` to before `to` are; they are ASCII, Latin-1 or UTF-8, which makes no difference. Offsets
   * beyond the bytes mean their ends.
   */
  testBytes(bytes: Uint8Array, from?: number, to?: number): boolean;
}

const blank = 0x20;

/**
 * Makes a matcher of the tables of automata that stop at a match; a text is accepted where one of them accepts it. With
 * `familiar`, a sticky expression as src/compiler/familiar.ts makes it, reading begins behind what that matches: engines
 * compare its literal text several characters at a time.
 */
export function createMatcher(unanchored: Table, anchored: Table, familiar?: RegExp): Matcher {
  const decide = (text: string): boolean => accepts(unanchored, text) || accepts(anchored, text);
  const afterBlank = unanchored.next[unanchored.columns[blank]! + unanchored.initial]!;
  const decideBehind = (expression: RegExp, text: string): boolean => {
    expression.lastIndex = 0;
    return expression.test(text) ? accepts(unanchored, text, expression.lastIndex, afterBlank) : decide(text);
  };
  return {
    test: familiar ? (text) => decideBehind(familiar, text) : decide,
    testBytes(bytes, from = 0, to = bytes.length) {
      const [first, last] = [Math.max(0, from), Math.min(to, bytes.length)];
      return acceptsBytes(unanchored, bytes, first, last) || acceptsBytes(anchored, bytes, first, last);
    },
  };
}
