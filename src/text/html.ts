/**
 * HTML as values: a tagged template that escapes whatever it is given, and functions that make strings from clients safe to
 * display. Pure, so that the server and the page's own modules render with the same functions.
 */
import { invisible } from "./plain-text.ts";

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Child = Html | string | number | boolean | null | undefined | readonly Child[];

/** Writes HTML; every value is escaped unless it is Html. Arrays are joined; `undefined`, `null` and booleans are nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Child[]): Html {
  return new Html(parts.reduce((text, part, index) => text + toText(values[index - 1]) + part));
}

function toText(child: Child): string {
  if (child === undefined || child === null || typeof child === "boolean") return "";
  if (child instanceof Html) return child.text;
  return typeof child === "object" ? child.map(toText).join("") : escapeHtml(String(child));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

/** A text as a part of an address's query. A lone surrogate, which a URL cannot contain, becomes U+FFFD. */
export function toQueryPart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Shows a client's string: invisible characters are written as code points, and its text direction is isolated. */
export function toVisible(text: string): Html {
  return html`<bdi>${toVisibleText(text)}</bdi>`;
}

/** The same without an element, for parts of a string. */
export function toVisibleText(text: string): Html {
  let end = 0;
  const parts: Child[] = [];
  for (const match of text.matchAll(invisible)) {
    const code = (match[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    parts.push(text.slice(end, match.index), html`<span class="control">U+${code}</span>`);
    end = match.index + match[0].length;
  }
  return html`${[...parts, text.slice(end)]}`;
}
