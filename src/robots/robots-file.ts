/** Parses robots.txt (RFC 9309): its lines with their numbers, and its groups. path-rules.ts decides about paths, crawler-rules.ts for whom. */
import { normalizeRule } from "./path-pattern.ts";

/** A line that is neither empty nor only a comment. */
export interface RobotsLine {
  /** Counted from 1. */
  readonly number: number;
  /** The line without its comment. */
  readonly text: string;
  /** The text before the colon, in lower case; absent without a colon. */
  readonly key?: string;
  /** The text after the colon; empty without a colon. */
  readonly value: string;
}

export interface RobotsRule {
  readonly isAllowed: boolean;
  /** The path pattern, normalized by normalizeRule. */
  readonly path: string;
  /** As in the file. */
  readonly text: string;
  readonly line: number;
}

export interface RobotsGroup {
  /** The values of the `User-agent` lines that open the group. */
  readonly agents: readonly { readonly token: string; readonly line: number }[];
  /** In the order of the file, without rules of an empty path, which do nothing. */
  readonly rules: readonly RobotsRule[];
  /** Seconds of the last `Crawl-delay` in the group. */
  readonly crawlDelay?: number;
}

export interface RobotsFile {
  readonly lines: readonly RobotsLine[];
  readonly groups: readonly RobotsGroup[];
  readonly sitemaps: readonly { readonly url: string; readonly line: number }[];
  /** Lines of rules before any `User-agent`, which apply to no crawler. */
  readonly ungrouped: readonly RobotsLine[];
  /** The number of the first line that is not read, because the file is larger than 500 KiB. */
  readonly cutAt?: number;
}

/** RFC 9309, section 2.5: crawlers read at least 500 KiB. Google reads no more. */
export const mostRobotsBytes = 500 * 1024;

/** Parses a file. Any text is a robots.txt: what is no rule does nothing. Takes linear time. */
export function parseRobots(text: string): RobotsFile {
  return finish(readRobots(text));
}

/** Work in parts of about a millisecond, between which a server serves others. */
export type InParts<Result> = Generator<undefined, Result>;

/** Does the work at once. */
export function finish<Result>(parts: InParts<Result>): Result {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/** Parses a file in parts. */
export function* readRobots(text: string): InParts<RobotsFile> {
  const lines: RobotsLine[] = [];
  const groups: Writable<RobotsGroup>[] = [];
  const sitemaps: { url: string; line: number }[] = [];
  const ungrouped: RobotsLine[] = [];
  let cutAt: number | undefined;
  let isOpening = false;
  let number = 0;
  let bytes = 0;
  let start = text.startsWith("\u{feff}") ? 1 : 0;
  // Where the next ends of lines are: each character is searched once, although a text may have only one kind.
  let [lf, cr] = [-1, -1];
  let work = 0;
  while (start < text.length) {
    number += 1;
    if (lf < start) lf = indexOrEnd(text, "\n", start);
    if (cr < start) cr = indexOrEnd(text, "\r", start);
    const end = Math.min(lf, cr);
    work += charactersOfLine + end - start;
    if (work > mostWork) {
      work = 0;
      yield;
    }
    const whole = text.slice(start, end);
    bytes += utf8Length(whole) + 1;
    if (bytes > mostRobotsBytes + 1) {
      cutAt = number;
      break;
    }
    start = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    const line = toLine(whole, number);
    if (line === undefined) continue;
    lines.push(line);
    const { key, value } = line;
    const group = groups.at(-1);
    if (key === "user-agent") {
      // Lines that are no rules, such as Sitemap, do not end the list of agents (Google: grouping of lines and rules).
      if (isOpening) group!.agents.push({ token: value, line: number });
      else groups.push({ agents: [{ token: value, line: number }], rules: [] });
      isOpening = true;
    } else if (key === "allow" || key === "disallow") {
      isOpening = false;
      if (group === undefined) ungrouped.push(line);
      else if (value !== "")
        group.rules.push({ isAllowed: key === "allow", path: normalizeRule(value), text: value, line: number });
    } else if (key === "crawl-delay") {
      const seconds = Number(value);
      if (group === undefined) ungrouped.push(line);
      else if (value !== "" && Number.isFinite(seconds) && seconds >= 0) group.crawlDelay = seconds;
    } else if (key === "sitemap") sitemaps.push({ url: value, line: number });
  }
  return { lines, groups, sitemaps, ungrouped, ...(cutAt === undefined ? {} : { cutAt }) };
}

type Writable<Type> = {
  -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key];
};

/** A part has so many characters; a line takes as long as some characters more. */
const mostWork = 32_768;
const charactersOfLine = 64;

/** The next end of a line: LF, CR or both end lines. */
function indexOrEnd(text: string, character: string, start: number): number {
  const found = text.indexOf(character, start);
  return found < 0 ? text.length : found;
}

function toLine(whole: string, number: number): RobotsLine | undefined {
  const comment = whole.indexOf("#");
  const text = (comment < 0 ? whole : whole.slice(0, comment)).trim();
  if (text === "") return undefined;
  const colon = text.indexOf(":");
  if (colon < 0) return { number, text, value: "" };
  return { number, text, key: text.slice(0, colon).trim().toLowerCase(), value: text.slice(colon + 1).trim() };
}

/** Bytes of the text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  if (/^[\0-\x7f]*$/.test(text)) return bytes;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // A surrogate is half of four bytes.
    bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}
