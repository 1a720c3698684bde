/**
 * The specification of the verdict: a loop over the patterns of the catalogue, each read as it is written. Slow and obvious;
 * what is compiled, pruned and minimised must agree with it.
 */
import type { Catalogue, Exception } from "../../src/catalogue/entry.ts";
import { mustDecide } from "../../src/catalogue/prune.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { occurs } from "./naive.ts";

/** Tells whether a pattern occurs in a text, outside of every occurrence of an exception. */
export type Sign = (text: string) => boolean;

/** The sign of an entry, or of a signature with its exceptions. */
export function createSign(pattern: string, except: readonly Pick<Exception, "pattern">[] = []): Sign {
  const expression = asWritten(pattern);
  const exceptions = except.map((exception) => ({
    expression: asWritten(exception.pattern),
    tree: parsePattern(exception.pattern),
  }));
  return (text) => {
    if (!expression.test(text)) return false;
    // Only where an exception occurs, too, does it matter which occurrence lies in which.
    const found = exceptions.filter((exception) => exception.expression.test(text)).map(({ tree }) => tree);
    return found.length === 0 || occurs(parsePattern(pattern), text, found);
  };
}

/**
 * Whether `text` is a crawler's: a signature is in it, or an entry that decides. Which entries do is a choice of the
 * catalogue's (mustDecide), made by asking which of their strings the signatures decide.
 */
export function createReference({ entries, signatures }: Catalogue): (text: string) => boolean {
  const generic = signatures.map((signature) => createSign(signature.pattern, signature.except));
  const isGeneric = (text: string): boolean => generic.some((sign) => sign(text));
  const deciding = entries.filter((entry) => mustDecide(entry, isGeneric)).map((entry) => createSign(entry.pattern));
  return (text) => isGeneric(text) || deciding.some((sign) => sign(text));
}

/**
 * A pattern of data/ as a RegExp, by what data/README.md says of patterns: the case of letters is ignored, `.` is any
 * character of the line, `$` skips what is no visible ASCII character, `\s` is ASCII's blanks.
 */
export function asWritten(pattern: string): RegExp {
  const text = pattern.replace(/\[\\s\\S\]|\\.|\[(?:[^\]\\]|\\.)*\]|[.$]/g, (part) => {
    if (part === "." || part === "[\\s\\S]") return "[^\\n]";
    if (part === "$") return "[^!-~]*$";
    if (part === "\\s") return "[\\t-\\r ]";
    if (part === "\\S") return "[^\\t-\\r ]";
    return part;
  });
  return new RegExp(text, "i");
}
