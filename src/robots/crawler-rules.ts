/** Which groups of a robots.txt a crawler obeys, by the facts of its entry. */
import type { RobotsRules } from "../detect/compiled-catalogue.ts";
import { createPathRules, type PathRules } from "./path-rules.ts";
import type { RobotsFile, RobotsGroup } from "./robots-file.ts";

/** What decides which groups a crawler obeys: members of an item of the catalogue. */
export interface RobotsCrawler {
  readonly name?: string;
  readonly robots?: string;
  readonly robotsRules?: RobotsRules;
}

/** The rules of one crawler in one file. */
export interface CrawlerRules extends PathRules {
  /** The groups, in the order of the file; none: everything is allowed. */
  readonly groups: readonly RobotsGroup[];
  /** The token by which the groups were found: the crawler's token, the token of a crawler it falls back to, or `*`. */
  readonly token?: string;
  /** Seconds of the last `Crawl-delay` of the groups. */
  readonly crawlDelay?: number;
}

/** A file, ready to be asked. */
export interface Robots {
  readonly file: RobotsFile;
  /**
   * The rules that apply to a crawler: of all groups with its token (RFC 9309, section 2.2.1), else of those it falls back to, else of
   * `*`. Whether it obeys them is a fact that the caller reads: `robotsRules.obeys`.
   */
  rulesFor(crawler: RobotsCrawler): CrawlerRules;
}

/** Makes a file ready. Crawlers that obey the same groups share their rules. */
export function createRobots(file: RobotsFile): Robots {
  const byToken = indexGroups(file, (token) => token.toLowerCase());
  const byLetters = indexGroups(file, lettersOf);
  const made = new Map<string, CrawlerRules>();
  return {
    file,
    rulesFor(crawler) {
      const { tokens: read, fallback = [], star } = crawler.robotsRules ?? {};
      const index = read === "letters" ? byLetters : byToken;
      const own = crawler.robots ?? crawler.name;
      const tokens = [...(own === undefined ? [] : [own]), ...fallback, ...(star === false ? [] : ["*"])];
      const token = tokens.find((token) => index.has(token.toLowerCase()));
      const numbers = token === undefined ? [] : index.get(token.toLowerCase())!;
      const key = numbers.join();
      let rules = made.get(key);
      if (rules === undefined) {
        const groups = numbers.map((number) => file.groups[number]!);
        const crawlDelay = groups.findLast((group) => group.crawlDelay !== undefined)?.crawlDelay;
        rules = {
          ...createPathRules(groups.flatMap((group) => group.rules)),
          groups,
          ...(crawlDelay === undefined ? {} : { crawlDelay }),
        };
        made.set(key, rules);
      }
      return token === undefined ? rules : { ...rules, token };
    },
  };
}

/** The numbers of the groups of each token. */
function indexGroups({ groups }: RobotsFile, toKey: (token: string) => string): ReadonlyMap<string, readonly number[]> {
  const index = new Map<string, number[]>();
  for (const [number, { agents }] of groups.entries())
    for (const { token } of agents) {
      const key = toKey(token);
      const numbers = index.get(key);
      if (numbers === undefined) index.set(key, [number]);
      else if (numbers.at(-1) !== number) numbers.push(number);
    }
  return index;
}

/** The token as Google reads it: the letters, `_` and `-` that the value begins with, so that a version behind it is ignored. */
function lettersOf(token: string): string {
  return /^\*(?:\s|$)/.test(token) ? "*" : /^[a-z_-]*/.exec(token.toLowerCase())![0];
}
