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

const quotes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“",
  "«": "»",
  "‘": "’",
};

/** The text without quotation marks around it. */
export function unquote(text: string): string {
  const end = quotes[text.slice(0, 1)];
  return end !== undefined && text.length > 1 && text.indexOf(end, 1) === text.length - 1
    ? text.slice(1, -1).trim()
    : text;
}
