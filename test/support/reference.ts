/**
 * The specification of the verdict: a loop over the patterns of the catalogue, each read as it is written. Slow and obvious;
 * what is compiled, pruned and minimized must agree with it.
 */

import { items } from "../../src/detect/built-in/items.ts";
import type { ItemFacts, RuleFacts } from "../../src/detect/compiled-catalogue.ts";
import { alternatives, rules as rulesJson } from "../../src/generated/rules.ts";
import { parseDataPattern } from "../../src/pattern/parse.ts";
import { occurs } from "./naive.ts";

/** Tells whether a pattern occurs in a text, outside of every occurrence of an exception. */
export type Item = (text: string) => boolean;

/** The item of an entry, or of a rule with its exceptions. */
export function createSign(pattern: string, except: readonly { readonly pattern: string }[] = []): Item {
  const expression = asWritten(pattern);
  const exceptions = except.map((exception) => ({
    expression: asWritten(exception.pattern),
    tree: parseDataPattern(exception.pattern),
  }));
  return (text) => {
    if (!expression.test(text)) return false;
    // Only where an exception occurs, too, does it matter which occurrence lies in which.
    const found = exceptions.filter((exception) => exception.expression.test(text)).map(({ tree }) => tree);
    return found.length === 0 || occurs(parseDataPattern(pattern), text, found);
  };
}

/** The item of an entry: where it begins with a letter, it does not match behind another one. */
function createEntrySign(pattern: string): Item {
  const expression = new RegExp(`(?:(?<![A-Za-z])|(?![A-Za-z]))(?:${asWritten(pattern).source})`);
  return (text) => expression.test(text);
}

/** A item of the catalogue with the facts that a verdict takes from it. */
export interface ReferenceSign extends ItemFacts {
  readonly isIn: Item;
  /** Whether it decides, and does not only name crawlers. */
  readonly decides: boolean;
}

let read: readonly ReferenceSign[] | undefined;

/** Every item of the catalogue, in the order of precedence. Which of them decide is a choice that the build has made. */
export function referenceItems(): readonly ReferenceSign[] {
  read ??= readItems();
  return read;
}

function readItems(): ReferenceSign[] {
  const rules = (JSON.parse(rulesJson) as RuleFacts[]).values();
  const deciding = new Set(alternatives);
  return items().map((item, index) => ({
    ...item,
    isIn:
      item.name === undefined ? createSign(item.pattern, rules.next().value!.except) : createEntrySign(item.pattern),
    decides: deciding.has(index),
  }));
}

/** Whether a item that decides is in `text`. */
export function createReference(items: readonly ReferenceSign[]): (text: string) => boolean {
  // Rules first: nearly every crawler has one, and here only the answer counts.
  const deciding = items.filter((item) => item.decides);
  const quickest = [...deciding.filter((item) => !item.name), ...deciding.filter((item) => item.name)];
  return (text) => quickest.some((item) => item.isIn(text));
}

/**
 * A pattern of data/ as a RegExp, by what data/README.md says of patterns: a capital and the first letter stand for either
 * case but in a class of their own, `.` is any character of the line, `$` skips what is no visible ASCII character (in `^-?$`, blanks of
 * ASCII only), `\s` is ASCII's blanks.
 */
export function asWritten(pattern: string): RegExp {
  const text = pattern
    .replace(/^[a-z]/, (first) => first.toUpperCase())
    .replace(/\[\\s\\S\]|\\.|\[(?:[^\]\\]|\\.)*\]|[.$A-Z]/g, (part) => {
      if (part === "." || part === "[\\s\\S]") return "[^\\n]";
      if (part === "$") return pattern === "^-?$" ? "[\\t-\\r ]*$" : "[^!-~]*$";
      if (part === "\\s") return "[\\t-\\r ]";
      if (part === "\\S") return "[^\\t-\\r ]";
      // A class of one letter matches that letter only.
      if (/^\[[A-Z]\]$/.test(part)) return part;
      if (part.startsWith("["))
        return part.replace(/[A-Z](?:-[A-Z])?/g, (capitals) => capitals + capitals.toLowerCase());
      return /^[A-Z]$/.test(part) ? `[${part}${part.toLowerCase()}]` : part;
    });
  return new RegExp(text);
}
