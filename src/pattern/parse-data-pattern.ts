/** Parses the patterns of data/: those of entries and rules, and of what rules except. */
import { type ParseOptions, parsePattern } from "./parse.ts";
import type { Tree } from "./tree.ts";

/**
 * As parsePattern, but the first letter stands for either case. Nearly all patterns of small letters are names, which may
 * begin a sentence; and an expression whose alternatives begin alike has fewer of them, which engines try one after another.
 */
export function parseDataPattern(pattern: string, options: Pick<ParseOptions, "shorthands"> = {}): Tree {
  return parsePattern(pattern, { ...options, foldsFirst: true });
}
