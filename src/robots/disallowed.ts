/** Decides whether a site's robots.txt disallows a request of a crawler, for policies. */
import type { ItemFacts } from "../detect/compiled-catalogue.ts";
import { entryOf } from "../detect/matched-entry.ts";
import type { IsDisallowed } from "../detect/policy/policy.ts";
import type { CrawlerRules, Robots, RobotsCrawler } from "./crawler-rules.ts";
import { hasOwnGroup } from "./merge-robots.ts";
import { normalizePath } from "./path-pattern.ts";
import { finish } from "./robots-file.ts";

/** The facts of a catalogue's crawlers about robots.txt, by their names. */
export type CrawlersByName = ReadonlyMap<string, ItemFacts>;

export function indexByName(items: readonly ItemFacts[]): CrawlersByName {
  return new Map(items.flatMap((item) => (item.name === undefined ? [] : [[item.name, item] as const])));
}

/**
 * Makes the function. A crawler to which robots.txt does not apply, by its operator, is only disallowed what a group with its own token
 * disallows. Paths are also read as servers resolve them: `/a/../b`, `//b`, `/%2Fb`, `/b;c` and `b` as `/b`. One disallowed spelling is
 * enough, and so is a path of more than 8,192 characters.
 * Where Google's parser reads the file otherwise than RFC 9309, a request is disallowed if both readings disallow it.
 */
export function createIsDisallowed(robots: Robots, crawlers: CrawlersByName): IsDisallowed {
  // Otherwise, the first request would have to wait for this.
  finish(robots.prepare(crawlers.values()));
  const readings = robots.file.googleGroups === undefined ? (["rfc"] as const) : (["rfc", "google"] as const);
  const rulesOf = (crawler: RobotsCrawler) => readings.map((reading) => robots.rulesFor(crawler, reading));
  const known = new Map<string, readonly CrawlerRules[]>();
  const findRules = (name: string | undefined): readonly CrawlerRules[] => {
    const crawler = name === undefined ? undefined : crawlers.get(name);
    if (crawler === undefined) return rulesOf(name === undefined ? {} : { name });
    // Only names in the catalogue are cached, because clients can invent others.
    if (!known.has(name!)) {
      const applies = crawler.robotsRules?.obeys !== false || hasOwnGroup(robots, crawler);
      known.set(name!, applies ? rulesOf(crawler) : []);
    }
    return known.get(name!)!;
  };
  return (path, verdict) => {
    const all = verdict.crawler ? findRules(entryOf(verdict)) : [];
    if (all.length === 0 || all.some(({ rules }) => rules.every(({ isAllowed }) => isAllowed))) return false;
    if (path.length > maxCharacters) return true;
    for (const spelling of spellingsOf(path)) {
      const normal = normalizePath(spelling);
      if (normal.length > maxCharacters || all.every((rules) => !rules.decideNormalized(normal).isAllowed)) return true;
    }
    return false;
  };
}

/** Servers accept longer paths, and deciding about them takes time. */
const maxCharacters = 8_192;

/** An encoded character that a server may decode before it finds a file, `/`, `\\` and `;` among them; not those that end a path. */
const encoded = /%(?:2[1246-9a-f]|3[a-e]|40|5[bcd])/gi;

const changes: readonly ((path: string) => string)[] = [
  (path) => path.replace(encoded, decodeURIComponent),
  (path) => path.replaceAll("\\", "/"),
  // Servers of Java ignore parameters of segments.
  (path) => path.replace(/;[^/]*/g, ""),
  (path) => path.replace(/\/{2,}/g, "/"),
];

/**
 * Text in small letters, encoded letters too: paths and robots.txt for applications that ignore case. Only those of ASCII, because servers
 * compare other characters encoded.
 */
export function toOneCase(text: string): string {
  return text
    .replace(/%(?:4[1-9a-f]|5[0-9a])/gi, decodeURIComponent)
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A path with its query, and as servers may resolve it: each makes some of the changes, in this order. */
function spellingsOf(path: string): readonly string[] {
  const end = path.search(/[?#]/);
  const before = end < 0 ? path : path.slice(0, end);
  const query = end < 0 ? "" : path.slice(end);
  const sent = [before, encodeBytes(before)];
  let paths = new Set(sent);
  if (/^[^/]|[/\\](?:[./\\]|%2e)|[\\;]/i.test(before) || before.search(encoded) >= 0) {
    for (const change of changes) paths = new Set([...paths, ...[...paths].map(change)]);
    paths = new Set([...sent, ...[...paths].map(resolve)]);
  }
  return [...paths].map((path) => path + query);
}

/** Encodes the bytes of a header field, each of which is a character there: servers send a path as UTF-8 without encoding it. */
function encodeBytes(text: string): string {
  return text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
}

/** The path without the segments `.` and `..`. */
function resolve(path: string): string {
  const kept: string[] = [];
  const segments = path.replace(/^\//, "").split("/");
  for (const [at, segment] of segments.entries()) {
    const text = segment.replace(/%2e/gi, ".");
    if (text === "..") kept.pop();
    if (text !== "." && text !== "..") kept.push(segment);
    else if (at === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
}
