/** The detector: one pass over the string decides, and only for a crawler a second one says which. */
import { createMatcher, find } from "../automaton/run.ts";
import { decodeTable, type Table } from "../automaton/tables.ts";
import type { Category, Purpose } from "../catalogue/entry.ts";
import { nameAt } from "./naming.ts";
import type { Detector, Verdict } from "./verdict.ts";

/** What is known of a sign (an entry or a signature), as the build stores it. */
export interface SignFacts {
  /** Absent for signatures: there the string itself has the name. */
  readonly name?: string;
  readonly operator?: string;
  readonly operatorDerived?: true;
  readonly category: Category;
  readonly purposes?: readonly Purpose[];
  readonly url?: string;
  readonly pattern: string;
  /** Length of every match in characters, or the expression that finds one where lengths differ. */
  readonly match: number | string;
  /** Present for a sign that describes whole strings; the identifying automaton leaves those out. */
  readonly shape?: true;
}

/** The parts of a detector; those that only crawlers need come as functions, called once at the first need. */
export interface DetectorParts {
  readonly version: string;
  readonly entries: number;
  readonly expression: string;
  /** The deciding automata, as encodeTable writes them: what a string begins with, and what it has anywhere. */
  readonly opening: Uint8Array;
  readonly search: Uint8Array;
  readonly identification: () => Uint8Array;
  /** In the order of precedence: the identifying automaton's outputs are 1 + an index here. */
  readonly signs: () => readonly SignFacts[];
  readonly alternatives: () => readonly string[];
  readonly strings: () => readonly string[];
}

/** Makes a detector; `check` and `isCrawler` never throw, whatever the string. */
export function createDetector(parts: DetectorParts): Detector {
  const matcher = createMatcher(decodeTable(parts.search), decodeTable(parts.opening));
  const identify = once(() => createIdentifier(decodeTable(parts.identification()), parts.signs()));
  return {
    version: parts.version,
    entries: parts.entries,
    expression: parts.expression,
    get alternatives() {
      return parts.alternatives();
    },
    isCrawler: matcher.test,
    check(useragent) {
      return matcher.test(useragent) ? identify()(useragent) : { useragent, crawler: false };
    },
    strings: parts.strings,
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function createIdentifier(table: Table, signs: readonly SignFacts[]): (useragent: string) => Verdict {
  const shapes = signs.filter((sign) => sign.shape);
  return (useragent) => {
    const { output, end } = find(table, useragent);
    const sign = signs[output - 1] ?? shapes.find((shape) => expressionOf(String(shape.match), "").test(useragent));
    // The expression decides; should nothing claim the match, it is a crawler all the same.
    if (!sign) return { useragent, crawler: true };
    const [from, to] = sign.shape ? [0, useragent.length] : locate(sign, useragent, end);
    const name = sign.name ?? nameAt(useragent, from, to);
    return {
      useragent,
      crawler: true,
      ...(name === undefined ? {} : { name }),
      ...(sign.operator === undefined ? {} : { operator: sign.operator }),
      ...(sign.operatorDerived === undefined ? {} : { operatorDerived: sign.operatorDerived }),
      category: sign.category,
      ...(sign.purposes === undefined ? {} : { purposes: sign.purposes }),
      ...(sign.url === undefined ? {} : { url: sign.url }),
      pattern: sign.pattern,
      match: useragent.slice(from, to),
    };
  };
}

/** How far back a match is looked for at first, in characters: longer than nearly all, short enough to bound the work. */
const longestMatch = 256;

/** Where the occurrence stands that was complete at `end`, at its full length. */
function locate(sign: SignFacts, useragent: string, end: number): [from: number, to: number] {
  if (typeof sign.match === "number") return [end - sign.match, end];
  // Whatever an engine would rather match, the occurrence that counted has been read by then.
  const read = useragent.slice(0, end);
  const isSignature = sign.name === undefined;
  const search = isSignature ? lastMatch : matchAtEnd;
  const from = search(sign.match, read, Math.max(0, end - longestMatch)) ?? search(sign.match, read, 0) ?? end;
  const whole = expressionOf(sign.match, "y");
  whole.lastIndex = from;
  const to = from + (whole.exec(useragent)?.[0].length ?? 0);
  return [from, isSignature ? to : Math.max(to, end)];
}

function matchAtEnd(match: string, read: string, from: number): number | undefined {
  const expression = expressionOf(`(?:${match})$`, "g");
  expression.lastIndex = from;
  return expression.exec(read)?.index;
}

/** A signature may need to see what follows, and those of its occurrences that did not count came before: it is the last. */
function lastMatch(match: string, read: string, from: number): number | undefined {
  const expression = expressionOf(match, "g");
  let last: number | undefined;
  for (let start = from; ; start = last + 1) {
    expression.lastIndex = start;
    const found = expression.exec(read)?.index;
    if (found === undefined) return last;
    last = found;
  }
}

const expressions = new Map<string, RegExp>();

function expressionOf(text: string, flags: string): RegExp {
  const key = `${flags} ${text}`;
  let expression = expressions.get(key);
  if (!expression) {
    expression = new RegExp(text, flags);
    expressions.set(key, expression);
  }
  return expression;
}
