/**
 * Decides most strings without reading their characters one by one, and gives the rest to the plain matcher.
 * docs/matching.md tells what each shortcut is worth, and what else was tried.
 */
import { accepts, createMatcher, type Matcher, stateAfter } from "./run.ts";
import type { Sieve } from "./sieve.ts";
import { acceptsBefore, sift } from "./sift.ts";
import type { Table } from "./tables.ts";

/** What makes a matcher faster, and never changes its answer. */
export interface Shortcuts {
  readonly sieve: Sieve;
  /** Matches strings from end to end, none of which is accepted; they begin with the first of `commonBeginnings`. */
  readonly familiar: RegExp;
}

/** What very many strings begin with; each but the first continues the first, no two of them with the same character. */
export const commonBeginnings = ["Mozilla/5.0 (", "Mozilla/5.0 (compatible; "] as const;

/** Makes a matcher that answers as the plain one of the same tables does. */
export function createFastMatcher(search: Table, opening: Table, { sieve, familiar }: Shortcuts): Matcher {
  const plain = createMatcher(search, opening);
  const beginnings = commonBeginnings.map((text) => ({
    text,
    search: stateAfter(search, text),
    opening: stateAfter(opening, text),
    /** Whether something may be accepted that begins before the last character. */
    isOpen: stateAfter(search, text) !== stateAfter(search, text.slice(-1)),
  }));
  const stem = beginnings[0]!;
  const { length } = stem.text;
  const stemEnd = stem.text.charCodeAt(length - 1);
  const byNext = Array.from(
    { length: 128 },
    (_, code) => beginnings.find(({ text }) => text.charCodeAt(length) === code) ?? stem,
  );
  return {
    test(text) {
      // One character tells nearly all strings apart that begin otherwise.
      if (text.length <= length || text.charCodeAt(length - 1) !== stemEnd) return plain.test(text);
      // A wrong guess for a character beyond ASCII is found out by comparing.
      const beginning = byNext[text.charCodeAt(length) & 127]!;
      if (beginning === stem && familiar.test(text)) return false;
      if (!text.startsWith(beginning.text)) return plain.test(text);
      const at = beginning.text.length;
      if (beginning.isOpen && acceptsBefore(search, text, at, at, beginning.search)) return true;
      // The last character of the beginning may begin something, too.
      const accepted = sift(sieve, search, text, at - 1);
      if (accepted === undefined) return plain.test(text);
      return accepted || accepts(opening, text, at, beginning.opening);
    },
    // Nothing in this project reads so many bytes yet that a sieve for them would be worth a second copy of it.
    testBytes: plain.testBytes,
  };
}
