/** Evaluates the conditions of Traefik's and Cloudflare's rules: and, or, not, brackets, and tests of the user agent. */

/** What a rule's language writes its tests as; the first group is the regular expression. */
export interface Language {
  readonly test: RegExp;
  readonly and: string;
  readonly or: string;
  readonly not: string;
}

export type Condition = (useragent: string) => boolean;

/** Parses `text`; `not` binds tighter than `and`, and that tighter than `or`. Throws for anything else that stands there. */
export function parseCondition(
  text: string,
  language: Language,
  compile: (expression: string) => Condition,
): Condition {
  const { test, and, or, not } = language;
  let rest = text.trim();

  const take = (word: string): boolean => {
    if (!rest.startsWith(word)) return false;
    rest = rest.slice(word.length).trimStart();
    return true;
  };
  const joined = (word: string, part: () => Condition, join: (parts: Condition[]) => Condition): Condition => {
    const parts = [part()];
    while (take(word)) parts.push(part());
    return parts.length === 1 ? parts[0]! : join(parts);
  };
  const disjunction = (): Condition =>
    joined(or, conjunction, (parts) => (useragent) => parts.some((part) => part(useragent)));
  const conjunction = (): Condition =>
    joined(and, negation, (parts) => (useragent) => parts.every((part) => part(useragent)));
  const negation = (): Condition => {
    if (!take(not)) return atom();
    const negated = negation();
    return (useragent) => !negated(useragent);
  };
  const atom = (): Condition => {
    if (take("(")) {
      const inner = disjunction();
      if (!take(")")) throw new Error(`no ) before ${rest.slice(0, 40)}`);
      return inner;
    }
    const found = test.exec(rest);
    if (found?.index !== 0) throw new Error(`no test at ${rest.slice(0, 40)}`);
    rest = rest.slice(found[0].length).trimStart();
    return compile(found[1]!);
  };

  const condition = disjunction();
  if (rest !== "") throw new Error(`left over: ${rest.slice(0, 40)}`);
  return condition;
}
