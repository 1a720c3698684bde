/** Decides about strings and bytes with the automata of a catalogue (src/compiler/automaton/decide.ts). */
import { accepts, acceptsBytes, acceptsHalves, acceptsHalvesOfBytes } from "./run.ts";
import type { Table } from "./tables.ts";

/** Matches texts; both methods give the same result for the same text. */
export interface Matcher {
  /** Whether `text` is accepted. */
  test(text: string): boolean;
  /**
   * Whether the bytes from `from` up to but not including `to` are accepted. ASCII, Latin-1 and UTF-8 give the same result. Offsets
   * beyond the bytes mean their ends, fractions are dropped, and NaN is 0; undefined means the whole.
   */
  testBytes(bytes: Uint8Array, from: number | undefined, to: number | undefined): boolean;
}

/**
 * After a familiar beginning, reading starts in the state that follows this text. It is longer than the text that exceptions have
 * before a match, so that these do not matter after most blanks.
 */
export const beforeReading = "Mozilla/5.0 ";

/**
 * Makes a matcher of the tables of automata that stop at a match; a text is accepted if one of them accepts it. With
 * `familiar`, a sticky expression as src/compiler/familiar.ts makes it, reading begins after its match: engines
 * compare its literal text several characters at a time.
 */
export function createMatcher(unanchored: Table, anchored: readonly Table[], familiar?: RegExp): Matcher {
  const { initial } = unanchored;
  // Running an expression takes as long as reading ten characters, so the first letter is tested first. This does not change any result.
  const firstCode = familiar?.source.charCodeAt(0);
  let rest = initial;
  for (let i = 0; i < beforeReading.length; i++)
    rest = unanchored.next[unanchored.columns[beforeReading.charCodeAt(i)]! + rest]!;
  return {
    test(text) {
      if (familiar !== undefined && text.charCodeAt(0) === firstCode) {
        familiar.lastIndex = 0;
        if (familiar.test(text)) return acceptsHalves(unanchored, text, familiar.lastIndex, rest);
      }
      if (acceptsHalves(unanchored, text, 0, initial)) return true;
      for (let i = 0; i < anchored.length; i++) if (accepts(anchored[i]!, text)) return true;
      return false;
    },
    // Bytes would have to become a string for the familiar expression.
    testBytes(bytes, from, to) {
      const first = from === undefined ? 0 : Math.max(0, Math.trunc(from) || 0);
      const last = to === undefined ? bytes.length : Math.min(Math.trunc(to) || 0, bytes.length);
      if (acceptsHalvesOfBytes(unanchored, bytes, first, last)) return true;
      for (let i = 0; i < anchored.length; i++) if (acceptsBytes(anchored[i]!, bytes, first, last)) return true;
      return false;
    },
  };
}
