/** Writes HTML so that no text can become markup: whatever stands in a template is escaped, unless it is markup already. */
import { toPlain } from "./report-text.ts";

/** Markup that was made by `html`. */
export interface Html {
  readonly markup: string;
}

type Value = Html | readonly Html[] | string | number;

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function html(texts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: texts.reduce((markup, text, index) => markup + toMarkup(values[index - 1] as Value) + text) };
}

/** Text that is trusted as it is: our own style sheet. */
export function trusted(markup: string): Html {
  return { markup };
}

function toMarkup(value: Value): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string")
    return toPlain(value).replace(/[&<>"']/g, (character) => references[character] as string);
  return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
}
