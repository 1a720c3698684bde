/** A warning about a robots.txt, and how texts from the file are shown in it. */
import { toPlain } from "../text/plain-text.ts";

export interface RobotsWarning {
  /** Absent: the warning is about the whole file. */
  readonly line?: number;
  readonly text: string;
}

/** Longer values are truncated. */
const maxShown = 80;

/** A text of the file in quotation marks. */
export function show(text: string): string {
  return `"${toPlain(text.slice(0, maxShown))}${text.length > maxShown ? "…" : ""}"`;
}

/** Whether a text is shown whole, so that it can be advised. */
export function isShort(text: string): boolean {
  return text.length <= maxShown;
}

/** The end of a warning about `text`: the lines that are probably meant, if there are any and the text is shown whole. */
export function adviseLines(text: string, lines: readonly string[]): string {
  return lines.length > 0 && isShort(text) ? `: ${lines.map(show).join(", ")}` : "";
}

/** The lines in a line whose end is missing, or written as `\\n`: each begins with a key; one line if it is right. */
export function toLines(line: string): readonly string[] {
  return (
    line
      // linear: only the blanks in front of a colon are repeated, and they stand behind a key
      .split(/(?:[ \t]|(?:\\r)?\\n)(?=(?:user-agent|allow|disallow|sitemap|crawl-delay|content-signal)[ \t]*:)/i)
      .map((part) => part.trim())
      .filter((part) => part !== "")
  );
}

const quotes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“",
  "«": "»",
  "‘": "’",
};

/** The text without quotation marks around it, of which the second may be missing or of another kind. */
export function unquote(text: string): string {
  const end = quotes[text.slice(0, 1)];
  if (end === undefined || text.length < 2) return text;
  const at = text.indexOf(end, 1);
  return at < 0 || at === text.length - 1
    ? text
        .slice(1)
        .replace(/["'`“”»’]$/, "")
        .trim()
    : text;
}
