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

const maxPathCharacters = 8_192;

/** The number of characters of rules in a part; each rule also counts as a few extra characters. */
const maxWork = 16_384;
const charactersOfRule = 64;

/** A rule with `*` or `$`, and numbers of all three neighboring characters of its longest literal text. */
interface TriedRule {
  readonly rule: RobotsRule;
  readonly pattern: PathPattern;
  readonly triples: readonly number[];
}

/**
 * Makes rules ready, in parts. Rules without `*` and `$` are looked up by length. Patterns are tried in order, from the longest to the
 * shortest, if the path has all triples of the pattern's longest text: without this test, a path such as `????…` makes V8 compare each
 * character with each of the patterns `*?color=`, `*?size=` ….
 */
export function* preparePathRules(rules: readonly RobotsRule[]): InParts<PathRules> {
  const prefixes = new Map<string, RobotsRule>();
  const patterns: TriedRule[] = [];
  let work = 0;
  for (const rule of rules) {
    work += charactersOfRule + rule.path.length;
    if (work > maxWork) {
      work = 0;
      yield;
    }
    if (isPattern(rule)) patterns.push(toTriedRule(rule));
    else if (rule.isAllowed || !prefixes.has(rule.path)) prefixes.set(rule.path, rule);
  }
  patterns.sort((one, other) => precedenceOf(other.rule) - precedenceOf(one.rule));
  const lengths = [...new Set([...prefixes.keys()].map((path) => path.length))].sort((a, b) => b - a);
  const findPrefix = (path: string): RobotsRule | undefined => {
    for (const length of lengths) {
      const rule = length <= path.length ? prefixes.get(path.slice(0, length)) : undefined;
      if (rule !== undefined) return rule;
    }
    return undefined;
  };
  const findRule = (path: string): RobotsRule | undefined => {
    const prefix = findPrefix(path);
    const least = prefix === undefined ? 0 : precedenceOf(prefix);
    if (patterns.length === 0) return prefix;
    const found = new Uint8Array(tripleCount);
    for (const triple of triplesOf(path)) found[triple] = 1;
    for (const { rule, pattern, triples } of patterns) {
      if (precedenceOf(rule) <= least) break;
      if (triples.every((triple) => found[triple] === 1) && matchesPath(pattern, path)) return rule;
    }
    return prefix;
  };
  const decideNormalized = (path: string): PathDecision => {
    const rule = path === "/robots.txt" || path.startsWith("/robots.txt?") ? undefined : findRule(path);
    return rule === undefined ? { isAllowed: true } : { isAllowed: rule.isAllowed, rule };
  };
  return {
    rules,
    decideNormalized,
    // An encoded character takes three characters.
    decide: (path) => decideNormalized(normalizePath(path.slice(0, maxPathCharacters)).slice(0, maxPathCharacters)),
  };
}

/** Whether a rule has `*` or `$`, so that it is tried and not looked up. */
export function isPattern({ path }: RobotsRule): boolean {
  return /[*$]/.test(path);
}

function toTriedRule(rule: RobotsRule): TriedRule {
  const pattern = toPathPattern(rule.path);
  const longest = pattern.parts.reduce((one, other) => (other.length > one.length ? other : one));
  return { rule, pattern, triples: triplesOf(longest) };
}

const tripleCount = 1 << 15;

/** A number for each triple of consecutive characters; different triples may share one. */
function triplesOf(text: string): number[] {
  const triples: number[] = [];
  for (let at = 0; at + 3 <= text.length; at++)
    triples.push((text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % tripleCount);
  return triples;
}

/** Longer rules come first, then Allow. */
function precedenceOf({ path, isAllowed }: RobotsRule): number {
  return 2 * path.length + Number(isAllowed);
}
