/** The items and the index of their names as lines for other languages, whose engines have no lookbehind, or only some. */
import type { CompiledCatalogue, ItemFacts } from "../../detect/compiled-catalogue.ts";
import { expressionOf, portableOf } from "../../detect/name-index.ts";
import { parsePattern } from "../../pattern/parse.ts";
import { print } from "../../pattern/print.ts";
import { alternativesOf, splitLeftContext, type Tree } from "../../pattern/tree.ts";

/** What stands between expressions of one item: no expression has an empty alternative. */
const separator = "||";

export interface ItemLine {
  /**
   * Between tabs, without empty columns at the end: name, operator (after `?`: derived), maker, category, purposes between commas, address;
   * for a rule `^` if the first token of a match is the name, otherwise `.`, and then the expression of the part of a match that carries the
   * name; and the expression. If several stand between `||`, the match that begins first counts, and its last group is the match.
   */
  readonly columns: string;
  /**
   * Each is its kind, the place of the rare letters, and its literal (src/detect/name-index.ts), but for a literal that is the name with a
   * capital letter at the beginning. The expression is tried where the kind is `*`.
   */
  readonly finders: readonly string[];
}

/** The items in the order of precedence; `spell` writes an expression as the language needs it. */
export function toItemLines(
  { items, nameIndex }: Pick<CompiledCatalogue, "items" | "nameIndex">,
  spell: (expression: string) => string = (expression) => expression,
): ItemLine[] {
  return items.map((item, index) => {
    const line = nameIndex[index]!;
    const [written, ...finders] = line.split("\t");
    const { name = "", operator = "", operatorDerived, maker = "", category, purposes = [], url = "", pattern } = item;
    const part = item.part ?? item.match ?? "";
    const rule = name === "" ? (pattern.startsWith("^") && item.part === undefined ? "^" : ".") + spell(part) : "";
    const expression = written === "" ? "" : spell(toExpression(item, line));
    const facts = [name, operatorDerived ? `?${operator}` : operator, maker, category, purposes.join(), url];
    const columns = [...facts, rule, expression];
    while (columns.at(-1) === "") columns.pop();
    return {
      columns: columns.join("\t"),
      finders: finders.filter((finder) => !finder.startsWith("~")).map((finder) => toFinder(finder, name)),
    };
  });
}

/** Every match contains a literal, so the first match of the whole string is the one that the library finds around the first literal. */
function toFinder(finder: string, name: string): string {
  const literal = finder.slice(2);
  const kind = "a^w".includes(finder[0]!) ? finder[0]! : "*";
  return kind + finder[1]! + (literal === name.slice(0, 1).toUpperCase() + name.slice(1) ? "" : literal);
}

/** Only libraries and rules, but not those that find code, name a crawler by what stands around their match. */
function toExpression({ name, category }: ItemFacts, line: string): string {
  const portable = portableOf(line);
  const needsPlace = name === undefined ? category !== "security" : category === "library";
  if (!needsPlace || !expressionOf(line).includes("(?<")) return portable;
  const parts: string[] = [];
  let isPlain = false;
  for (const alternative of alternativesOf(parsePattern(portable, { printed: true }))) {
    const [context, match] = splitLeftContext(alternative);
    if (context !== undefined) parts.push(`${toGroup(context)}(${print(match)})`);
    else if (isPlain) parts.push(`${parts.pop()}|${print(match)}`);
    else parts.push(print(match));
    isPlain = context === undefined;
  }
  return parts.join(separator);
}

function toGroup(context: Tree): string {
  return context.type === "alt" ? `(?:${print(context)})` : print(context);
}
