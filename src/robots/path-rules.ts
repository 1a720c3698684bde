/** The rules of one crawler, ready to decide about paths: the longest pattern that matches wins, and Allow wins ties (RFC 9309, 2.2.2). */
import { matchesPath, normalizePath, type PathPattern, toPathPattern } from "./path-pattern.ts";
import type { InParts, RobotsRule } from "./robots-file.ts";

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

/** Makes rules ready, in parts. Rules without `*` and `$` are looked up by their length, others are tried from the longest to the shortest. */
export function* preparePathRules(rules: readonly RobotsRule[]): InParts<PathRules> {
  const prefixes = new Map<string, RobotsRule>();
  // By their precedence: sorting them at once would be one long part.
  const others = new Map<number, RobotsRule[]>();
  const takePart = createParts();
  for (const rule of rules) {
    if (takePart(rule.path.length)) yield;
    if (/[*$]/.test(rule.path)) {
      const precedence = precedenceOf(rule);
      const equal = others.get(precedence);
      if (equal === undefined) others.set(precedence, [rule]);
      else equal.push(rule);
    } else if (rule.isAllowed || !prefixes.has(rule.path)) prefixes.set(rule.path, rule);
  }
  const lengths = [...new Set([...prefixes.keys()].map((path) => path.length))].sort((a, b) => b - a);
  const findPrefix = (path: string): RobotsRule | undefined => {
    for (const length of lengths) {
      const rule = length <= path.length ? prefixes.get(path.slice(0, length)) : undefined;
      if (rule !== undefined) return rule;
    }
    return undefined;
  };
  const sorted = [...others].sort(([one], [other]) => other - one).flatMap(([, rules]) => rules);
  const findPattern = yield* preparePatternSearch(sorted);
  const decideNormalized = (path: string): PathDecision => {
    if (path === "/robots.txt" || path.startsWith("/robots.txt?")) return { isAllowed: true };
    const [rule] = [findPrefix(path), findPattern(path)]
      .filter((rule) => rule !== undefined)
      .sort((one, other) => precedenceOf(other) - precedenceOf(one));
    return rule === undefined ? { isAllowed: true } : { isAllowed: rule.isAllowed, rule };
  };
  return {
    rules,
    decideNormalized,
    // An encoded character takes three.
    decide: (path) => decideNormalized(normalizePath(path.slice(0, mostPathCharacters)).slice(0, mostPathCharacters)),
  };
}

/** Longer rules come first, then Allow. */
function precedenceOf({ path, isAllowed }: RobotsRule): number {
  return 2 * path.length + Number(isAllowed);
}

/** A part has so many characters of rules; a rule takes as long as some characters more. */
const mostWork = 16_384;
const charactersOfRule = 64;

/** Makes the function that counts the characters of a rule, and says whether a part ends before it. */
function createParts(): (characters: number) => boolean {
  let work = 0;
  return (characters) => {
    work += charactersOfRule + characters;
    if (work <= mostWork) return false;
    work = 0;
    return true;
  };
}

/** Fewer patterns are tried one after another as fast. */
const fewPatterns = 16;

/**
 * Finds the first rule of a list whose pattern matches a path. Most of many patterns are not tried: a path must contain three characters
 * of each, the rarest in the list of those that its longest part has.
 */
function* preparePatternSearch(rules: readonly RobotsRule[]): InParts<(path: string) => RobotsRule | undefined> {
  const patterns: PathPattern[] = [];
  const longest: string[] = [];
  const counts = new Uint32Array(tripleCount);
  const takePart = createParts();
  for (const { path } of rules) {
    if (takePart(path.length)) yield;
    const pattern = toPathPattern(path);
    patterns.push(pattern);
    const part = pattern.parts.reduce((one, other) => (other.length > one.length ? other : one));
    longest.push(part);
    for (let at = 0; at + 3 <= part.length; at++) counts[tripleAt(part, at)]! += 1;
  }
  if (rules.length <= fewPatterns) return (path) => rules[patterns.findIndex((pattern) => matchesPath(pattern, path))];

  /** Numbers of rules by their rarest three characters, and of rules without three. */
  const byTriple = new Map<number, number[]>();
  const always: number[] = [];
  for (const [index, part] of longest.entries()) {
    if (takePart(part.length)) yield;
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
        if (matchesPath(patterns[index]!, path)) first = index;
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
