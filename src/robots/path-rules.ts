/** The rules of one crawler, ready to decide about paths: the longest pattern that matches wins, and Allow wins ties (RFC 9309, 2.2.2). */
import { matchesPath, normalizePath, type PathPattern, toPathPattern } from "./path-pattern.ts";
import type { RobotsRule } from "./robots-file.ts";

/** Whether a path is allowed, and the rule that decides; without a rule it is. */
export interface PathDecision {
  readonly isAllowed: boolean;
  readonly rule?: RobotsRule;
}

export interface PathRules {
  /** In the order of the file. */
  readonly rules: readonly RobotsRule[];
  /**
   * Decides about a path with its query, as a request line has it. `/robots.txt` is always allowed. A path of more than 8,192
   * characters is decided by its beginning, which limits the work: a rule with `*` reads the path once.
   */
  decide(path: string): PathDecision;
  /** The same for a path that is spelled as rules are, which may also have characters that no rule can have. */
  decideNormalized(path: string): PathDecision;
}

const mostPathCharacters = 8_192;

/** Makes rules ready. Those without `*` and `$` are looked up by their length, others are tried from the longest to the shortest. */
export function createPathRules(rules: readonly RobotsRule[]): PathRules {
  const prefixes = new Map<string, RobotsRule>();
  const others: RobotsRule[] = [];
  for (const rule of rules) {
    if (/[*$]/.test(rule.path)) others.push(rule);
    else if (rule.isAllowed || !prefixes.has(rule.path)) prefixes.set(rule.path, rule);
  }
  const lengths = [...new Set([...prefixes.keys()].map((path) => path.length))].sort((a, b) => b - a);
  const findPrefix = (path: string): RobotsRule | undefined => {
    for (const length of lengths) {
      const rule = length <= path.length ? prefixes.get(path.slice(0, length)) : undefined;
      if (rule !== undefined) return rule;
    }
    return undefined;
  };
  const findPattern = createPatternSearch(others.sort(byPrecedence));
  const decideNormalized = (path: string): PathDecision => {
    if (path === "/robots.txt" || path.startsWith("/robots.txt?")) return { isAllowed: true };
    const [rule] = [findPrefix(path), findPattern(path)].filter((rule) => rule !== undefined).sort(byPrecedence);
    return rule === undefined ? { isAllowed: true } : { isAllowed: rule.isAllowed, rule };
  };
  return {
    rules,
    decideNormalized,
    // An encoded character takes three.
    decide: (path) => decideNormalized(normalizePath(path.slice(0, mostPathCharacters)).slice(0, mostPathCharacters)),
  };
}

function byPrecedence(one: RobotsRule, other: RobotsRule): number {
  return other.path.length - one.path.length || Number(other.isAllowed) - Number(one.isAllowed);
}

/** Fewer patterns are tried one after another as fast. */
const fewPatterns = 16;

/**
 * Finds the first rule of a list whose pattern matches a path. Most of many patterns are not tried: a path must contain three characters
 * of each, the rarest in the list of those that its longest part has.
 */
function createPatternSearch(rules: readonly RobotsRule[]): (path: string) => RobotsRule | undefined {
  const patterns: (PathPattern | undefined)[] = rules.map(() => undefined);
  const matches = (index: number, path: string): boolean => {
    patterns[index] ??= toPathPattern(rules[index]!.path);
    return matchesPath(patterns[index], path);
  };
  if (rules.length <= fewPatterns) return (path) => rules[rules.findIndex((_, index) => matches(index, path))];

  const longest = rules.map(({ path }) =>
    path.split(/[*$]/).reduce((one, other) => (other.length > one.length ? other : one)),
  );
  const counts = new Uint32Array(tripleCount);
  for (const part of longest) for (let at = 0; at + 3 <= part.length; at++) counts[tripleAt(part, at)]! += 1;
  /** Numbers of rules by their rarest three characters, and of rules without three. */
  const byTriple = new Map<number, number[]>();
  const always: number[] = [];
  for (const [index, part] of longest.entries()) {
    let rarest: number | undefined;
    for (let at = 0; at + 3 <= part.length; at++) {
      const triple = tripleAt(part, at);
      if (rarest === undefined || counts[triple]! < counts[rarest]!) rarest = triple;
    }
    if (rarest === undefined) always.push(index);
    else if (byTriple.has(rarest)) byTriple.get(rarest)!.push(index);
    else byTriple.set(rarest, [index]);
  }
  return (path) => {
    let first = rules.length;
    const tryAll = (indices: readonly number[]): void => {
      for (const index of indices) {
        if (index >= first) return;
        if (matches(index, path)) first = index;
      }
    };
    tryAll(always);
    const tried = new Set<number>();
    for (let at = 0; at + 3 <= path.length; at++) {
      const triple = tripleAt(path, at);
      const indices = byTriple.get(triple);
      if (indices === undefined || tried.has(triple)) continue;
      tried.add(triple);
      tryAll(indices);
    }
    return rules[first];
  };
}

const tripleCount = 1 << 15;

/** A number for three characters; different ones may have the same. */
function tripleAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % tripleCount;
}
