/** Tables of cases as text, which have a line for each row. */

/** The cells of each line, which are separated by bars with spaces around them. */
export function rowsOf(text: string): (readonly string[])[] {
  const lines = text.trim().split("\n");
  return lines.map((line) => line.split(/ \|(?= |$)/).map((cell) => cell.trim()));
}
