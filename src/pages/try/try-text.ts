/**
 * Converts the text in the field of `/`, on the server and in the page: to strings, to a command for a shell, and to what is shown without
 * the tables of names.
 */

import { withoutFieldName } from "../../text/field-name.ts";
import { type Html, html, toVisible } from "../../text/html.ts";

/** The strings in a field of lines: a final empty line does not count; an empty field is the empty string. */
export function toLines(text: string): string[] {
  const lines = text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map(withoutFieldName);
  return lines.length === 1 ? lines : lines.filter((line) => line !== "");
}

/** Shown with the verdict if the field has lines of a request's head. */
export function toFieldNameNote(text: string): Html {
  return text.split("\n").some((line) => withoutFieldName(line) !== line)
    ? html`<p class="quiet">Checked without the header’s name, <code>User-Agent:</code>, which is not part of the user agent.</p>`
    : html``;
}

/** Shown instead of a verdict while the field is empty. */
export const noVerdict = html`<p class="quiet">The verdict appears here.</p>`;

/** Shows a verdict whose name and explanation are not there yet. */
export function toUnnamedHtml(useragent: string, crawler: boolean): Html {
  return html`<article class="verdict ${crawler ? "is-crawler" : "is-person"}">
<p class="badge">${crawler ? "Crawler" : "Not a crawler"}</p>
<h2>${crawler ? "A crawler" : "A person's browser or app"}</h2>
<p class="string">${toVisible(useragent)}</p>
</article>`;
}

/** The command that does the same as the field, for a POSIX shell: one string, many of them, or a log. */
export function toCommand(lines: readonly string[], isLog: boolean, origin: string): string {
  if (isLog) return "npx whocrawls scan access.log";
  if (lines.length <= 1) return toCurl(lines[0] ?? "", origin);
  return `curl -H 'Content-Type: text/plain' \\\n  --data-binary @useragents.txt \\\n  ${origin}/RestService/CheckMany`;
}

function toCurl(useragent: string, origin: string): string {
  // Escaped, so that the string can neither control a terminal nor end the shell's quotes.
  const escapes = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const body = JSON.stringify({ useragent }).replace(/[\u007f-\uffff]|'/g, escapes);
  return `curl -H 'Content-Type: application/json' \\\n  -d '${body}' \\\n  ${origin}/RestService/Check`;
}
