/**
 * Text that stays on one line wherever it is written: in configuration files, comments and logs. Programs take more characters
 * for the end of a line than a line feed (YAML: U+0085, U+2028, U+2029), and terminals obey controls.
 */

/** C0 and C1 controls, line and paragraph separators, surrogates without a pair. */
const unprintable = /[\p{Cc}\u2028\u2029\p{Cs}]/gu;

/** Whether the text has none of these characters. */
export function isPrintable(text: string): boolean {
  return text.search(unprintable) === -1;
}

/** The text with each of these characters written as `\uHHHH`. */
export function toPrintable(text: string): string {
  return text.replace(unprintable, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
