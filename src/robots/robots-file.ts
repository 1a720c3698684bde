/**
 * Parses robots.txt: its lines with their numbers, and its groups, as RFC 9309 and as Google's parser read them. path-rules.ts decides
 * about paths, crawler-rules.ts for whom.
 */
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
  /** What Google's parser reads where RFC 9309 reads no rule, such as `Disalow: /`, `Useragent: *` and `Disallow /`. */
  readonly google?: { readonly key: string; readonly value: string };
}

export interface RobotsRule {
  readonly isAllowed: boolean;
  /** The path pattern, normalized by normalizeRule. */
  readonly path: string;
  /** As in the file. */
  readonly text: string;
  readonly line: number;
}

export interface RobotsAgent {
  readonly token: string;
  readonly line: number;
  /** The agent joins the agents before it although more than comments separates them, such as an empty line or `Crawl-delay`. */
  readonly isSeparated?: true;
  /** The `Crawl-delay` lines for it, of which the last one counts; the same list for agents that share them. */
  readonly crawlDelays: readonly CrawlDelay[];
}

export interface CrawlDelay {
  readonly seconds: number;
  readonly line: number;
}

export interface RobotsGroup {
  /** The values of the `User-agent` lines that open the group. */
  readonly agents: readonly RobotsAgent[];
  /** In the order of the file, without rules of an empty path, which do nothing. */
  readonly rules: readonly RobotsRule[];
}

export interface RobotsFile {
  readonly lines: readonly RobotsLine[];
  readonly groups: readonly RobotsGroup[];
  /** The groups as Google's parser reads them; absent if it reads every line the same way. */
  readonly googleGroups?: readonly RobotsGroup[];
  readonly sitemaps: readonly { readonly url: string; readonly line: number }[];
  /** Lines of rules before any `User-agent`, which apply to no crawler. */
  readonly ungrouped: readonly RobotsLine[];
  /** The number of the first line that is not read, because the file is larger than 500 KiB. */
  readonly cutAt?: number;
}

/** RFC 9309, section 2.5: crawlers read at least 500 KiB. Google reads no more. */
export const maxRobotsBytes = 500 * 1024;

/** Parses a file. Any text is a robots.txt: what is no rule does nothing. Takes linear time. */
export function parseRobots(text: string): RobotsFile {
  return finish(readRobots(text));
}

/** Work in parts of about a millisecond, between which a server can handle other requests. */
export type InParts<Result> = Generator<undefined, Result>;

/** Does all the work without pausing. */
export function finish<Result>(parts: InParts<Result>): Result {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/** Parses a file in parts. */
export function* readRobots(whole: string): InParts<RobotsFile> {
  const text = whole.startsWith("\u{feff}") ? whole.slice(1) : whole;
  const readable = lengthOfRead(text);
  const lines: RobotsLine[] = [];
  const strict = new GroupReader();
  const google = new GroupReader();
  const sitemaps: { url: string; line: number }[] = [];
  const ungrouped: RobotsLine[] = [];
  let cutAt: number | undefined;
  let number = 0;
  let start = 0;
  // Where the next ends of lines are: each character is searched once, although a text may have only one kind.
  let [lf, cr] = [-1, -1];
  let work = 0;
  while (start < text.length) {
    number += 1;
    if (lf < start) lf = indexOrEnd(text, "\n", start);
    if (cr < start) cr = indexOrEnd(text, "\r", start);
    const end = Math.min(lf, cr);
    work += charactersOfLine + end - start;
    if (work > maxWork) {
      work = 0;
      yield;
    }
    if (end > readable) {
      cutAt = number;
      break;
    }
    const line = toLine(text.slice(start, end), number);
    start = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    if (typeof line === "string") {
      if (line === "apart") for (const reader of [strict, google]) reader.part();
      continue;
    }
    lines.push(line);
    if (line.key === "sitemap") sitemaps.push({ url: line.value, line: number });
    if (!strict.read(line.key, line.value, number)) ungrouped.push(line);
    const { key, value } = line.google ?? line;
    google.read(key, value, number);
  }
  const isReadOtherwise = lines.some((line) => line.google !== undefined);
  return {
    lines,
    groups: strict.groups,
    ...(isReadOtherwise && { googleGroups: google.groups }),
    sitemaps,
    ungrouped,
    ...(cutAt !== undefined && { cutAt }),
  };
}

type Writable<Type> = {
  -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key];
};

/** Collects the groups of one reading of the lines. */
class GroupReader {
  readonly groups: Writable<RobotsGroup>[] = [];
  #isOpening = false;
  #isSeparated = false;
  /** Of the agents since the line before them that is a rule or `Crawl-delay`. */
  #crawlDelays: CrawlDelay[] = [];
  #endsDelayed = false;

  /** Notes that something other than a comment precedes the next line. */
  part(): void {
    this.#isSeparated = true;
  }

  /** Reads a line; returns false for a rule before any `User-agent`. */
  read(key: string | undefined, value: string, line: number): boolean {
    const group = this.groups.at(-1);
    if (key === "user-agent") {
      if (this.#endsDelayed) this.#crawlDelays = [];
      this.#endsDelayed = false;
      const isSeparated = this.#isOpening && this.#isSeparated;
      const agent = { token: value, line, crawlDelays: this.#crawlDelays, ...(isSeparated && { isSeparated }) };
      // Lines that are no rules, such as Sitemap, do not end the list of agents (Google: grouping of lines and rules).
      if (this.#isOpening) group!.agents.push(agent);
      else this.groups.push({ agents: [agent], rules: [] });
      this.#isOpening = true;
      this.#isSeparated = false;
      return true;
    }
    this.#isSeparated = true;
    if (key === "allow" || key === "disallow") {
      this.#isOpening = false;
      this.#endsDelayed = true;
      if (value !== "")
        group?.rules.push({ isAllowed: key === "allow", path: normalizeRule(value), text: value, line });
      return group !== undefined;
    }
    if (key !== "crawl-delay") return true;
    this.#endsDelayed = true;
    const seconds = toDelay(value);
    if (seconds !== undefined) this.#crawlDelays.push({ seconds, line });
    return group !== undefined;
  }
}

/** Each line with the group that it is in; undefined before the first group. */
export function linesWithGroups({
  lines,
  groups,
}: Pick<RobotsFile, "lines" | "groups">): (readonly [line: RobotsLine, group: RobotsGroup | undefined])[] {
  let next = 0;
  return lines.map((line) => {
    while (next < groups.length && groups[next]!.agents[0]!.line <= line.number) next++;
    return [line, groups[next - 1]] as const;
  });
}

/** The seconds of a `Crawl-delay`; undefined for `10s`, `1,5` and other text. */
export function toDelay(value: string): number | undefined {
  return /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value) ? Number(value) : undefined;
}

/** The number of characters in a part; each line also counts as a few extra characters. */
const maxWork = 32_768;
const charactersOfLine = 64;

/** How many characters of the text fit in `maxRobotsBytes` of UTF-8. */
function lengthOfRead(text: string): number {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxRobotsBytes) return text.length;
  return new TextEncoder().encodeInto(text, new Uint8Array(maxRobotsBytes)).read;
}

/** The next occurrence of LF or CR; either of them, or both together, end a line. */
function indexOrEnd(text: string, character: string, start: number): number {
  const found = text.indexOf(character, start);
  return found < 0 ? text.length : found;
}

/** Reads a line; `apart` is an empty line or a rule that is commented out, which looks like the end of a group. */
function toLine(whole: string, number: number): RobotsLine | "apart" | "remark" {
  const comment = whole.indexOf("#");
  const text = trimBlanks(comment < 0 ? whole : whole.slice(0, comment));
  if (text === "")
    return comment < 0 || /^[ \t]*(?:dis)?allow[ \t]*:/i.test(whole.slice(comment + 1)) ? "apart" : "remark";
  const colon = text.indexOf(":");
  if (colon < 0) {
    const google = toGoogleLine(...toWords(text));
    return { number, text, value: "", ...(google && { google }) };
  }
  const key = trimBlanks(text.slice(0, colon)).toLowerCase();
  const value = trimBlanks(text.slice(colon + 1));
  const google = strictKeys.includes(key) ? undefined : toGoogleLine(key, value);
  return { number, text, key, value, ...(google && { google }) };
}

const strictKeys = ["user-agent", "allow", "disallow", "sitemap"];

/** The beginnings of keys that Google's parser reads (github.com/google/robotstxt, `ParsedRobotsKey`). */
const googleKeys: readonly (readonly [key: string, beginnings: RegExp])[] = [
  ["user-agent", /^(?:user-agent|useragent|user agent)/i],
  ["allow", /^allow/i],
  ["disallow", /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i],
];

function toGoogleLine(key: string, value: string): RobotsLine["google"] {
  const found = googleKeys.find(([, beginnings]) => beginnings.test(key));
  return found && { key: found[0], value };
}

/** The two words of a line without a colon; a line of another number of words has no key. */
function toWords(text: string): [key: string, value: string] {
  const words = text.split(/[ \t]+/);
  return words.length === 2 ? [words[0]!, words[1]!] : ["", ""];
}

/**
 * The text without the blanks and tabs around it: other white space, such as a no-break space, belongs to a rule (RFC 9309, section 2.2).
 */
function trimBlanks(text: string): string {
  const isBlank = (at: number): boolean => text[at] === " " || text[at] === "\t";
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return text.slice(start, end);
}
