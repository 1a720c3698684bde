/** Options and their meaning in two columns, as `--help` shows them. */

const lineLength = 100;

/** Writes the rows; `column` is where the second column begins. Line breaks in it stay. */
export function toHelpLines(rows: readonly (readonly [left: string, right: string])[], column: number): string {
  const indent = `\n${" ".repeat(column)}`;
  return rows
    .map(([left, right]) => {
      const head = `  ${left}`.padEnd(column - 1);
      const lines = right.split("\n").flatMap((line) => wrap(line, lineLength - column));
      return `${head}${head.length < column ? " " : indent}${lines.join(indent)}`;
    })
    .join("\n");
}

/** Breaks a line between words. */
function wrap(text: string, length: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > length) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
