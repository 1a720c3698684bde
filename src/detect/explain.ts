/**
 * Explains a verdict: every entry and rule of the catalogue that occurs in the string, where, and which exceptions apply. Uses the
 * expressions that name crawlers, and not the automata, which decide; tests prove that both agree.
 */

import { once } from "../cache/once.ts";
import { finish } from "../pattern/finish.ts";
import { splitExpression } from "../pattern/split-expression.ts";
import type { Category } from "./categories.ts";
import type { ExplainingFacts, ItemFacts, RuleFacts } from "./compiled-catalogue.ts";
import { expressionOf } from "./name-index.ts";
import type { ExplainedMatch, ExplainedPart, ExplainedVerdict, UserAgent, Verdict } from "./verdict.ts";

interface Exception {
  readonly pattern: string;
  readonly why: string;
  /** Its alternatives. */
  readonly expressions: readonly RegExp[];
}

interface Item {
  readonly kind: "entry" | "rule";
  readonly name: string;
  readonly category: Category;
  readonly pattern: string;
  readonly expression: RegExp;
  readonly except: readonly Exception[];
  readonly namesOnly: boolean;
}

/** An item before its expressions are made. */
interface Row {
  readonly facts: ItemFacts;
  readonly source: string;
  readonly namesOnly: boolean;
  readonly rule: RuleFacts | undefined;
}

/** Makes the function that gives explained verdicts; what that needs is made at the first call. */
export function createExplain(
  check: (useragent: UserAgent) => Verdict,
  facts: ExplainingFacts,
): (useragent: UserAgent) => ExplainedVerdict {
  let explainer: ((useragent: string) => ExplainedMatch[]) | undefined;
  return (useragent) => {
    explainer ??= createExplainer(facts);
    const verdict = check(useragent);
    return { ...verdict, explanation: explainer(verdict.useragent) };
  };
}

/** Makes the function that finds all that explains a verdict. */
export function createExplainer(facts: ExplainingFacts): (useragent: string) => ExplainedMatch[] {
  const explain = createExplainerInParts(facts);
  return (useragent) => finish(explain(useragent));
}

/** The same in parts, each of which takes less than a millisecond, the first time, too. */
export function createExplainerInParts(
  facts: ExplainingFacts,
): (useragent: string) => Generator<undefined, ExplainedMatch[]> {
  const groups = inGroups(facts);
  return function* (useragent) {
    const matches: ExplainedMatch[] = [];
    for (const { expression, members } of groups) {
      if (expression().test(useragent)) for (const item of members()) matches.push(...explainItem(item, useragent));
      yield;
    }
    return matches;
  };
}

/** An expression for occurrencesOf. */
export function toGlobal(expression: string): RegExp {
  // linear: consists of the catalogue's patterns
  return new RegExp(expression, "g");
}

interface Group {
  readonly members: () => readonly Item[];
  /** Matches wherever the expression of a member does. */
  readonly expression: () => RegExp;
}

/** Nearly all items do not occur, which an engine finds out fastest by testing a few dozen items at once. */
const groupSize = 32;

function inGroups({ items, nameIndex, rules, alternatives }: ExplainingFacts): Group[] {
  const deciding = new Set(alternatives);
  let unnamed = 0;
  const rows = items.map((facts, number) => ({
    facts,
    // Exceptions are reported, too, so the pattern is searched without applying them.
    source: facts.match ?? expressionOf(nameIndex[number]!),
    namesOnly: !deciding.has(number),
    rule: facts.name === undefined ? rules[unnamed++] : undefined,
  }));
  const groups: Group[] = [];
  for (let from = 0; from < rows.length; from += groupSize) {
    const members = rows.slice(from, from + groupSize);
    groups.push({
      members: once(() => members.map(toItem)),
      // linear: consists of the catalogue's patterns
      expression: once(() => new RegExp(members.map(({ source }) => source).join("|"))),
    });
  }
  return groups;
}

function toItem({ facts, source, namesOnly, rule }: Row): Item {
  const { name, category, pattern } = facts;
  return {
    kind: name === undefined ? "rule" : "entry",
    name: name ?? rule?.name ?? pattern,
    category,
    pattern,
    expression: toGlobal(source),
    namesOnly,
    except: (rule?.except ?? []).map(({ expression, ...exception }) => ({
      ...exception,
      expressions: splitExpression(expression, 0).map(toGlobal),
    })),
  };
}

interface Occurrence {
  readonly from: number;
  readonly to: number;
}

/** The occurrences of expressions, one at each place, in the order in which they begin. */
export function occurrencesOf(expressions: readonly RegExp[], useragent: string): Occurrence[] {
  const found: Occurrence[] = [];
  for (const expression of expressions) {
    expression.lastIndex = 0;
    for (let match = expression.exec(useragent); match !== null; match = expression.exec(useragent)) {
      found.push({ from: match.index, to: expression.lastIndex });
      expression.lastIndex = match.index + 1;
    }
  }
  return found.sort((a, b) => a.from - b.from);
}

function explainItem(item: Item, useragent: string): ExplainedMatch[] {
  const occurrences = occurrencesOf([item.expression], useragent);
  if (occurrences.length === 0) return [];
  const exceptions = item.except.map((exception) => ({
    exception,
    around: createAround(occurrencesOf(exception.expressions, useragent)),
  }));
  const part = (pattern: string, { from, to }: Occurrence): ExplainedPart => {
    return { pattern, start: from, end: to, text: useragent.slice(from, to) };
  };
  const { kind, name, category, pattern, namesOnly } = item;
  const reached = { free: -1, heldBack: -1 };
  return occurrences.flatMap((occurrence) => {
    const heldBackBy = exceptions.flatMap(({ exception, around }) => {
      const found = around(occurrence);
      return found ? [{ ...part(exception.pattern, found), why: exception.why }] : [];
    });
    const free = heldBackBy.length === 0;
    // An occurrence inside another with the same result adds no information.
    const key = free ? "free" : "heldBack";
    if (occurrence.to <= reached[key]) return [];
    reached[key] = occurrence.to;
    return {
      kind,
      name,
      category,
      ...part(pattern, occurrence),
      decides: free && !namesOnly,
      ...(free ? {} : { heldBackBy }),
      ...(namesOnly ? { namesOnly } : {}),
    };
  });
}

/** Finds one of `occurrences` that contains a given occurrence; both must be passed in order of their start. */
function createAround(occurrences: readonly Occurrence[]): (inner: Occurrence) => Occurrence | undefined {
  let next = 0;
  let furthest: Occurrence | undefined;
  return (inner) => {
    for (; next < occurrences.length && occurrences[next]!.from <= inner.from; next++)
      if (furthest === undefined || occurrences[next]!.to > furthest.to) furthest = occurrences[next];
    return furthest !== undefined && inner.to <= furthest.to ? furthest : undefined;
  };
}
