/** Which groups of a robots.txt a crawler obeys, by the facts of its entry. */
import type { RobotsRules } from "../detect/compiled-catalogue.ts";
import { type PathRules, preparePathRules } from "./path-rules.ts";
import { finish, type InParts, type RobotsFile, type RobotsGroup } from "./robots-file.ts";

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
  /** Makes the rules of these crawlers ready in parts, which `rulesFor` does otherwise when they are first asked for. */
  prepare(crawlers: Iterable<RobotsCrawler>): InParts<void>;
}

/** The groups with a token. */
interface TokenGroups {
  readonly numbers: number[];
  /** The rules of these groups, once they are ready. */
  rules?: CrawlerRules;
}

/** Makes a file ready. Crawlers that obey the same groups share their rules. */
export function createRobots(file: RobotsFile): Robots {
  return finish(prepareRobots(file));
}

/** The same in parts. */
export function* prepareRobots(file: RobotsFile): InParts<Robots> {
  const byToken = yield* indexGroups(file, (token) => token.toLowerCase());
  const byLetters = yield* indexGroups(file, lettersOf);
  const made = new Map<string, CrawlerRules>();
  const noGroups: TokenGroups = { numbers: [] };
  const find = (crawler: RobotsCrawler): readonly [TokenGroups, string?] => {
    const { tokens: read, fallback = [], star } = crawler.robotsRules ?? {};
    const index = read === "letters" ? byLetters : byToken;
    const own = crawler.robots ?? crawler.name;
    const tokens = [...(own === undefined ? [] : [own]), ...fallback, ...(star === false ? [] : ["*"])];
    const token = tokens.find((token) => index.has(token.toLowerCase()));
    return token === undefined ? [noGroups] : [index.get(token.toLowerCase())!, token];
  };
  function* make(found: TokenGroups): InParts<CrawlerRules> {
    const key = found.numbers.join();
    const groups = found.numbers.map((number) => file.groups[number]!);
    const crawlDelay = groups.findLast((group) => group.crawlDelay !== undefined)?.crawlDelay;
    found.rules = made.get(key) ?? {
      ...(yield* preparePathRules(groups.flatMap((group) => group.rules))),
      groups,
      ...(crawlDelay === undefined ? {} : { crawlDelay }),
    };
    made.set(key, found.rules);
    return found.rules;
  }
  return {
    file,
    rulesFor(crawler) {
      const [found, token] = find(crawler);
      const rules = found.rules ?? finish(make(found));
      return token === undefined ? rules : { ...rules, token };
    },
    *prepare(crawlers) {
      for (const crawler of crawlers) {
        const [found] = find(crawler);
        if (found.rules === undefined) {
          yield* make(found);
          yield;
        }
      }
    },
  };
}

/** A part has so many tokens. */
const mostTokens = 500;

/** The groups of each token. */
function* indexGroups(
  { groups }: RobotsFile,
  toKey: (token: string) => string,
): InParts<ReadonlyMap<string, TokenGroups>> {
  const index = new Map<string, TokenGroups>();
  let work = 0;
  for (const [number, { agents }] of groups.entries())
    for (const { token } of agents) {
      if (++work % mostTokens === 0) yield;
      const key = toKey(token);
      const found = index.get(key);
      if (found === undefined) index.set(key, { numbers: [number] });
      else if (found.numbers.at(-1) !== number) found.numbers.push(number);
    }
  return index;
}

/** The token as Google reads it: the letters, `_` and `-` that the value begins with, so that a version behind it is ignored. */
function lettersOf(token: string): string {
  return /^\*(?:\s|$)/.test(token) ? "*" : /^[a-z_-]*/.exec(token.toLowerCase())![0];
}
