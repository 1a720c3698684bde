/** Turns people's strings into exceptions: each rule that finds one gets the words of its row as exceptions. */
import type { CompiledCatalogue, ItemFacts, RuleFacts } from "../../detect/compiled-catalogue.ts";
import { createExplainerInParts, occurrencesOf, toGlobal } from "../../detect/explain.ts";
import type { ExplainedMatch } from "../../detect/verdict.ts";
import { escapeLiteral, parseDataPattern } from "../../pattern/parse.ts";
import { print } from "../../pattern/print.ts";
import { isAnchoredAtBothEnds } from "../../pattern/tree.ts";
import { DataError, firstOf } from "../sources/data-error.ts";
import { ruleTree } from "../trees/exceptions.ts";
import type { CustomCatalogue } from "./merge-custom.ts";

/** Words that are added to a rule. */
export interface AddedException {
  readonly rule: string;
  readonly words: readonly string[];
  readonly why: string;
}

type Row = CustomCatalogue["people"][number];

/**
 * The exceptions that the rows ask for. `ignores` tells whether an entry or rule will be removed. Throws DataError that names what
 * cannot be an exception, and what to write instead.
 */
export function* exceptionsFor(
  rows: readonly Row[],
  catalogue: CompiledCatalogue,
  ignores: (match: Pick<ExplainedMatch, "kind" | "name">) => boolean,
): Generator<undefined, AddedException[]> {
  const explain = createExplainerInParts(catalogue);
  const rules = new Map<string, ExtendedRule>();
  const problems: string[] = [];
  const added: AddedException[] = [];
  for (const { value, source } of rows) {
    const { words, why } = value;
    for (const example of value.examples) {
      for (const match of yield* explain(example)) {
        yield;
        // An entry that only names starts to decide as soon as no rule finds all of its strings.
        if ((!match.decides && !match.namesOnly) || ignores(match)) continue;
        const said = `${source}: people: ${JSON.stringify(example)} is matched by the ${match.kind} ${match.name}`;
        if (match.kind === "entry") {
          problems.push(`${said}, ${adviceOnEntry(match)}`);
          continue;
        }
        const rule = rules.get(match.name) ?? new ExtendedRule(ruleOf(catalogue, match.name), source);
        rules.set(match.name, rule);
        const usable = words.filter((word) => rule.mayHave(word));
        const isNew = !usable.every((word) => rule.words.has(word));
        for (const word of usable) rule.words.add(word);
        if (usable.length === 0 || !rule.isExcepted(match, example))
          problems.push(`${said}, ${adviceOn(rule.rule, match, example)}`);
        else if (isNew) added.push({ rule: match.name, words: usable, why });
      }
    }
  }
  for (const { rule, words, source } of rules.values()) {
    yield;
    const problem = words.size === 0 ? undefined : problemWith(rule, words);
    if (problem !== undefined)
      problems.push(
        `${source}: people: the rule ${rule.name} cannot have these words as well as its exceptions: ${problem}`,
      );
  }
  if (problems.length > 0) throw new DataError(firstOf(problems));
  return added;
}

/** A rule, and the words that become exceptions of it. */
class ExtendedRule {
  readonly rule: Rule;
  /** The first row with an example that it matches. */
  readonly source: string;
  readonly words = new Set<string>();
  /** By word: where it occurs; undefined if the rule cannot have it as an exception. */
  readonly #expressions = new Map<string, RegExp | undefined>();

  constructor(rule: Rule, source: string) {
    this.rule = rule;
    this.source = source;
  }

  mayHave(word: string): boolean {
    if (!this.#expressions.has(word)) {
      // Only the word matters here: with all exceptions, each tree takes milliseconds.
      const isUsable = problemWith({ ...this.rule, except: [] }, [word]) === undefined;
      const expression = isUsable ? toGlobal(print(parseDataPattern(word))) : undefined;
      this.#expressions.set(word, expression);
    }
    return this.#expressions.get(word) !== undefined;
  }

  /** Whether a word contains an occurrence of the rule. */
  isExcepted({ start, end }: ExplainedMatch, text: string): boolean {
    const expressions = Array.from(this.words, (word) => this.#expressions.get(word)!);
    return occurrencesOf(expressions, text).some(({ from, to }) => from <= start && end <= to);
  }
}

/**
 * Warnings about words of people that begin an example, such as `AcmeBot` in `AcmeBot/3.2 (iPhone)`: the word alone, or with a version
 * only, can be a crawler's by a rule that matches none of the examples.
 */
export function* findMissedForms(rows: readonly Row[], catalogue: CompiledCatalogue): Generator<undefined, string[]> {
  const explain = createExplainerInParts(catalogue);
  const missed: string[] = [];
  for (const { value, source } of rows)
    for (const word of value.words) {
      const example = value.examples.find((text) => text.startsWith(word));
      if (example === undefined) continue;
      const [version = "/1.0"] = /^\/[\w.]+/.exec(example.slice(word.length)) ?? [];
      for (const form of [`${word}${version}`, word]) {
        const match = (yield* explain(form)).find(({ decides }) => decides);
        if (match === undefined) continue;
        const advice =
          match.kind === "entry" ? adviceOnEntry(match) : adviceOn(ruleOf(catalogue, match.name), match, form);
        missed.push(
          `${source}: people: ${JSON.stringify(form)} is still detected as a crawler by the ${match.kind} ${match.name}, ${advice}. Also add the string to the examples`,
        );
        break;
      }
    }
  return missed;
}

type Rule = Omit<ItemFacts, "name"> & RuleFacts;

function ruleOf({ items, rules }: CompiledCatalogue, name: string): Rule {
  const index = rules.findIndex((rule) => rule.name === name);
  return { ...items.filter((item) => item.name === undefined)[index]!, ...rules[index]! };
}

/** Why a rule cannot have more exceptions; undefined if it can. */
function problemWith({ pattern, part, except }: Rule, words: Iterable<string>): string | undefined {
  if (part !== undefined) return "it has shapes";
  try {
    ruleTree(pattern, [...except, ...Array.from(words, (word) => ({ pattern: word }))]);
    return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}

function adviceOnEntry({ name }: Pick<ExplainedMatch, "name">): string {
  return `and an entry has no exceptions. Write remove: [${name}], or give it a narrower pattern below crawlers:`;
}

function adviceOn({ name, pattern, part }: Rule, { start, end }: ExplainedMatch, example: string): string {
  if (part !== undefined) return `which takes no words. Write rules: { off: [${name}] }`;
  const [first = ""] = /^[^/ ;()]+/.exec(example) ?? [];
  if (isAnchoredAtBothEnds(parseDataPattern(pattern)))
    return `which is about whole strings. Add the word ${JSON.stringify(`^${escapeLiteral(first)}.*$`)}, or write rules: { off: [${name}] }`;
  let from = start;
  while (from > 0 && /[\w.-]/.test(example[from - 1]!)) from--;
  const [behind = ""] = /^[\w.-]*/.exec(example.slice(end)) ?? [];
  const word = escapeLiteral(example.slice(from, end) + behind);
  return `and none of the words contains what it finds there. Add the word ${JSON.stringify(word)}, or write rules: { off: [${name}] }`;
}
