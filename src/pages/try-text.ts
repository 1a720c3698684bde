/** What is made of the text in the field of `/`, on the server and in the page: its strings, and a command that asks. */

/** The strings in a field of lines: a line that only ends the text is none; a field without text is the empty string. */
export function toLines(text: string): string[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.length === 1 ? lines : lines.filter((line) => line !== "");
}

/** The command that asks the service about `useragent`, for a POSIX shell. */
export function toCurl(useragent: string, origin: string): string {
  // Escaped: a terminal must not act on what a stranger put into the string, nor a shell on its quotes.
  const escapes = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const body = JSON.stringify({ useragent }).replace(/[\u007f-\uffff]|'/g, escapes);
  return `curl -H 'Content-Type: application/json' \\\n  -d '${body}' \\\n  ${origin}/RestService/Check`;
}
