/** Parses the patterns of data/: entries, rules and exceptions. */
import { type ParseOptions, parsePattern } from "./parse.ts";
import type { Tree } from "./tree.ts";

/**
 * As parsePattern, but the first letter matches both cases. Nearly all patterns of small letters are names, which may begin a
 * sentence. Alternatives that begin alike are joined, so engines try fewer of them.
 */
export function parseDataPattern(pattern: string, options: Pick<ParseOptions, "shorthands"> = {}): Tree {
  return parsePattern(pattern, { ...options, foldsFirst: true });
}
