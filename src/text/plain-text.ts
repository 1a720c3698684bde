/**
 * Untrusted text, made safe to show: control, direction and invisible characters are written as their
 * code point. The only definition of these characters.
 */

/**
 * Controls, format characters (marks and overrides of direction, zero width, tags), line separators, surrogates, private and
 * unassigned code points, and characters that are ignored by default, such as variation selectors. CVE-2021-42574 describes how they
 * are abused.
 */
export const invisible = /[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu;

/** Whether the text has no such characters, so that every program reads it the same way: some end a line at U+0085 or U+2028. */
export function isPlain(text: string): boolean {
  return text.search(invisible) === -1;
}

/** The text on one line, with invisible characters as `\u{202e}`. */
export function toPlain(text: string): string {
  return text.replace(invisible, (character) => `\\u{${hexOf(character.codePointAt(0) as number)}}`);
}

/** The same, but ends of lines stay. */
export function toPlainLines(text: string): string {
  return text.split("\n").map(toPlain).join("\n");
}

/** A value as JSON that means the same, with invisible characters as `\u202e`; `indent` as of JSON.stringify. */
export function toPlainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(invisible, (characters) =>
    characters === "\n"
      ? characters
      : characters
          .split("")
          .map((unit) => `\\u${hexOf(unit.charCodeAt(0))}`)
          .join(""),
  );
}

const maxQuoted = 60;

/** A text in quotation marks for an error: at most 60 characters, and escapes for those that are invisible. */
export function quote(text: string): string {
  return toPlainJson(text.length > maxQuoted ? `${text.slice(0, maxQuoted - 1)}…` : text);
}

/** An XML document that means the same, with invisible characters as `&#x202e;`. */
export function toPlainXml(document: string): string {
  return document.replace(invisible, (character) =>
    character === "\n" ? character : `&#x${hexOf(character.codePointAt(0) as number)};`,
  );
}

function hexOf(code: number): string {
  return code.toString(16).padStart(4, "0");
}
