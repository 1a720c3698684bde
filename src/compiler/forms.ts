/**
 * The plain forms of an entry's user agents, written out: its tokens, with and without a version, where crawlers usually put them. An entry
 * must decide in each form that its own pattern matches, unless it is exempted. Uses no automata.
 */
import { browserString, type Form } from "../detect/forms.ts";

/** What the forms of an entry depend on, and whether it has to decide itself. */
export interface FormedEntry {
  readonly name: string;
  /** Its pattern; without flags. */
  readonly expression: RegExp;
  /** Its examples and instances. */
  readonly known: readonly string[];
  /** The forms in which it must decide; default: all. */
  readonly only?: readonly Form[] | undefined;
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

/** The strings in all plain forms that the entry's own pattern matches. */
export function formsOf(entry: Omit<FormedEntry, "only">): FormedText[] {
  return tokensOf(entry).flatMap((token) =>
    [`${token}/1.0`, token].flatMap((product) =>
      Object.entries(writers).flatMap(([form, write]) =>
        write(product)
          .filter((text) => entry.expression.test(text))
          .map((text) => ({ form: form as Form, text })),
      ),
    ),
  );
}

/**
 * Whether rules do not find all that an entry must find: its known strings, also with longer versions, and its plain forms. `isFound` tells
 * whether a rule matches.
 */
export function mustDecide(entry: FormedEntry, isFound: (text: string) => boolean): boolean {
  const { known, only, expression } = entry;
  const formed = formsOf(entry);
  // Nothing shows what the rules find.
  if (known.length + formed.length === 0) return true;
  const later = known.map(withLongVersion).filter((text) => expression.test(text));
  const required = formed.filter(({ form }) => only?.includes(form) ?? true).map(({ text }) => text);
  return ![...known, ...later, ...required].every(isFound);
}

/** The products that the entry's pattern finds in its name and in its known strings, without versions. */
function tokensOf({ name, expression, known }: Pick<FormedEntry, "name" | "expression" | "known">): string[] {
  const tokens = [name, ...known].map((text) => toToken(expression.exec(text)?.[0] ?? ""));
  return [...new Set(tokens)].filter((token) => /[A-Za-z]/.test(token));
}

/** The product at the beginning of a match: `Boto3` of `(Boto3/1.2; …`. */
function toToken(match: string): string {
  const product = match.replace(/^[^A-Za-z0-9]+/, "").replace(/[^A-Za-z0-9!.* _-].*$/s, "");
  return product.replace(/[ :_-]{0,9}(?:v?[0-9]{0,9}\.[0-9.]{0,20})?$/, "");
}

function withLongVersion(text: string): string {
  return text.replace(/(Mozilla)?([/ ]v?)[0-9][0-9.]*/g, (version, mozilla, before) =>
    mozilla === undefined ? `${before}10.20.30` : version,
  );
}
