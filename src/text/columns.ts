/** Text in the columns of a terminal, of which a character of Chinese or Japanese takes two. */
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

const helpWidth = 100;

/** How many columns a text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** A text with spaces at its end up to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/** A text of at most `width` columns; a longer one ends with an ellipsis. */
export function fit(text: string, width: number | undefined): string {
  if (width === undefined || stringWidth(text) <= width) return text;
  let kept = "";
  let rest = width - 1;
  // Segments keep combining marks with their letters.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    rest -= stringWidth(segment);
    if (rest < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text in lines of at most `width` columns; longer words are shortened. */
export function wrap(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const words = text.split(" ").map((word) => fit(word, width));
  return wrapAnsi(words.join(" "), width);
}

/** Options and their meaning, as `--help` shows them; `column` is where the second column begins. Line breaks in it stay. */
export function toHelpLines(rows: readonly (readonly [left: string, right: string])[], column: number): string {
  const indent = `\n${" ".repeat(column)}`;
  return rows
    .map(([left, right]) => {
      const head = `  ${left}`.padEnd(column - 1);
      const lines = wrap(right, helpWidth - column).replaceAll("\n", indent);
      return `${head}${head.length < column ? " " : indent}${lines}`;
    })
    .join("\n");
}
