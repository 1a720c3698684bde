/**
 * The plain forms of an entry's user agents, written out: its tokens, with and without a version, where crawlers usually put them. An entry
 * must be found in the forms of its category that its own pattern matches. Uses no automata.
 */
import type { Category } from "../detect/categories.ts";
import { browserString, type Form, formsOfCategory } from "../detect/forms.ts";

/** What the forms of an entry depend on, and whether it has to decide itself. */
export interface FormedEntry {
  readonly name: string;
  readonly category: Category;
  /** Its pattern; without flags. */
  readonly expression: RegExp;
  /** Its examples and instances. */
  readonly known: readonly string[];
}

/** A string in one of the forms. */
interface FormedText {
  readonly form: Form;
  readonly text: string;
}

const writers: Readonly<Record<Form, (product: string) => readonly string[]>> = {
  alone: (product) => [product],
  compatible: (product) => [`Mozilla/5.0 (compatible; ${product})`],
  comment: (product) => [`${product} (Linux; Android 14)`, `${product} foo`],
  browser: (product) => [`${browserString} ${product}`],
  phone: (product) => [`Dalvik/2.1.0 (Linux; U; Android 14; ${product})`],
};

/** The strings in the plain forms of its category that the entry's own pattern matches. */
export function formsOf(entry: FormedEntry): FormedText[] {
  const forms = formsOfCategory(entry.category);
  return tokensOf(entry).flatMap((token) =>
    [`${token}/1.0`, token].flatMap((product) =>
      forms.flatMap((form) =>
        writers[form](product)
          .filter((text) => entry.expression.test(text))
          .map((text) => ({ form, text })),
      ),
    ),
  );
}

/**
 * Whether rules do not find all that an entry must find: its known strings, also with longer versions, and its plain forms. `isFound` tells
 * whether a rule matches.
 */
export function mustDecide(entry: FormedEntry, isFound: (text: string) => boolean): boolean {
  const { known, expression } = entry;
  const formed = formsOf(entry);
  // Nothing shows what the rules find.
  if (known.length + formed.length === 0) return true;
  const later = known.map(withLongVersion).filter((text) => expression.test(text));
  return ![...known, ...later, ...formed.map(({ text }) => text)].every(isFound);
}

/** The entry's name, and the products that its pattern finds in its name and in its known strings, without versions. */
function tokensOf({ name, expression, known }: Pick<FormedEntry, "name" | "expression" | "known">): string[] {
  const tokens = [name, ...known].map((text) => toToken(expression.exec(text)?.[0] ?? ""));
  return [...new Set([name, ...tokens.filter((token) => /[A-Za-z]/.test(token))])];
}

/** The product at the beginning of a match: `Boto3` of `(Boto3/1.2; …`. */
function toToken(match: string): string {
  const product = match.replace(/^[^A-Za-z0-9]+/, "").replace(/[^A-Za-z0-9!'.* _-].*$/s, "");
  return product.replace(/[ :_-]{0,9}(?:v?[0-9]{0,9}\.[0-9.]{0,20})?$/, "");
}

function withLongVersion(text: string): string {
  return text.replace(/(Mozilla)?([/ ]v?)[0-9][0-9.]*/g, (version, mozilla, before) =>
    mozilla === undefined ? `${before}10.20.30` : version,
  );
}
