/** Tables of cases as a text: one line a row. */

/** The cells of each line, split at `|`, without the blanks around them; `\n`, `\r` and `\t` are what they are in strings. */
export function toRows(text: string): string[][] {
  const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
  return text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim().replace(/\\([nrt])/g, (_, letter) => escapes[letter]!)));
}
