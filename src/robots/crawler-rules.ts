/** Which groups of a robots.txt a crawler obeys, by the facts of its entry. */
import type { RobotsRules } from "../detect/compiled-catalogue.ts";
import { isPattern, type PathRules, preparePathRules } from "./path-rules.ts";
import { finish, type InParts, type RobotsFile, type RobotsGroup, readRobots } from "./robots-file.ts";

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
  /** Seconds of the last `Crawl-delay` for the token; without one, for `*` if the crawler obeys its groups. */
  readonly crawlDelay?: number;
}

/** Who reads the lines of a file: crawlers that follow RFC 9309, or Google's parser, which accepts more. */
export type RobotsReading = "rfc" | "google";

/** A parsed file that can be queried. */
export interface Robots {
  readonly file: RobotsFile;
  /**
   * The rules that apply to a crawler: of all groups with its token (RFC 9309, section 2.2.1), else of those it falls back to, else of
   * `*`. Whether it obeys them is a fact that the caller reads: `robotsRules.obeys`. Google's crawlers read lines as Google's parser does,
   * others as RFC 9309 says, unless the caller names the reading.
   */
  rulesFor(crawler: RobotsCrawler, reading?: RobotsReading): CrawlerRules;
  /** Prepares the rules of these crawlers in parts; otherwise, `rulesFor` prepares them on first use. */
  prepare(crawlers: Iterable<RobotsCrawler>): InParts<void>;
}

/** The groups with a token. */
interface TokenGroups {
  readonly numbers: number[];
  crawlDelay?: number | undefined;
  /** The rules of these groups, once they are ready. */
  rules?: CrawlerRules;
}

/** Makes a file ready. Crawlers that obey the same groups share their rules. */
export function createRobots(file: RobotsFile): Robots {
  return finish(prepareRobots(file));
}

/** Reads a text in parts, and makes the rules of these crawlers ready. */
export function* openRobots(text: string, crawlers: Iterable<RobotsCrawler>): InParts<Robots> {
  const robots = yield* prepareRobots(yield* readRobots(text));
  yield* robots.prepare(crawlers);
  return robots;
}

function* prepareRobots(file: RobotsFile): InParts<Robots> {
  const strict = yield* indexReading(file.groups);
  const readings = { rfc: strict, google: file.googleGroups ? yield* indexReading(file.googleGroups) : strict };
  const noGroups: TokenGroups = { numbers: [] };
  const find = (crawler: RobotsCrawler, reading?: RobotsReading) => {
    const { tokens: read, fallback = [], star } = crawler.robotsRules ?? {};
    const isOfGoogle = read === "letters";
    const { groups, made, byLetters, byToken } = readings[reading ?? (isOfGoogle ? "google" : "rfc")];
    const index = isOfGoogle ? byLetters : byToken;
    const own = crawler.robots ?? crawler.name;
    const tokens = [...(own === undefined ? [] : [own]), ...fallback, ...(star === false ? [] : ["*"])];
    const token = tokens.find((token) => index.has(token.toLowerCase()));
    const found = token === undefined ? noGroups : index.get(token.toLowerCase())!;
    const crawlDelay = found.crawlDelay ?? (star === false ? undefined : index.get("*")?.crawlDelay);
    return { token, groups, made, found, crawlDelay };
  };
  function* make({ found, groups: all, made }: ReturnType<typeof find>): InParts<CrawlerRules> {
    const key = found.numbers.join();
    const groups = found.numbers.map((number) => all[number]!);
    found.rules = made.get(key) ?? {
      ...(yield* preparePathRules(groups.flatMap((group) => group.rules))),
      groups,
    };
    made.set(key, found.rules);
    return found.rules;
  }
  return {
    file,
    rulesFor(crawler, reading) {
      const asked = find(crawler, reading);
      const rules = asked.found.rules ?? finish(make(asked));
      const { token, crawlDelay } = asked;
      if (token === undefined) return rules;
      return { ...rules, token, ...(crawlDelay !== undefined && { crawlDelay }) };
    },
    *prepare(crawlers) {
      for (const crawler of crawlers)
        for (const reading of file.googleGroups ? (["rfc", "google"] as const) : (["rfc"] as const)) {
          const asked = find(crawler, reading);
          if (asked.found.rules !== undefined) continue;
          yield* make(asked);
          yield;
        }
    },
  };
}

/** The groups of one reading, with indexes of their tokens and the rules that were made of them. */
function* indexReading(groups: readonly RobotsGroup[]) {
  return {
    groups,
    byToken: yield* indexGroups(groups, (token) => token.toLowerCase()),
    byLetters: yield* indexGroups(groups, lettersOf),
    made: new Map<string, CrawlerRules>(),
  };
}

/** More patterns of one crawler would take too long for each request: 1,000 take 0.1 to 2 ms. */
const maxPatterns = 1_000;

/**
 * Why requests cannot be compared with a file, with the line of the first agent; undefined if they can. No rule is dropped: a crawler would
 * pass.
 */
export function findManyPatterns({
  groups,
}: RobotsFile): { readonly line: number; readonly reason: string } | undefined {
  const counts = new Map<string, number>();
  for (const { agents, rules } of groups) {
    const patterns = rules.filter(isPattern).length;
    for (const { token, line } of agents) {
      const key = lettersOf(token) || token;
      const count = (counts.get(key) ?? 0) + patterns;
      counts.set(key, count);
      if (count > maxPatterns)
        return {
          line,
          reason: `more than ${maxPatterns} rules with * or $ apply to ${JSON.stringify(token.slice(0, 60))}`,
        };
    }
  }
  return undefined;
}

/** The number of tokens in a part. */
const maxTokens = 500;

/** The groups of each token. */
function* indexGroups(
  groups: readonly RobotsGroup[],
  toKey: (token: string) => string,
): InParts<ReadonlyMap<string, TokenGroups>> {
  const index = new Map<string, TokenGroups>();
  let work = 0;
  for (const [number, { agents }] of groups.entries())
    for (const { token, crawlDelays } of agents) {
      if (++work % maxTokens === 0) yield;
      const key = toKey(token);
      const found: TokenGroups = index.get(key) ?? { numbers: [] };
      if (found.numbers.at(-1) !== number) found.numbers.push(number);
      found.crawlDelay = crawlDelays.at(-1)?.seconds ?? found.crawlDelay;
      index.set(key, found);
    }
  return index;
}

/** The token as Google reads it: the letters, `_` and `-` that the value begins with; a version after them is ignored. */
function lettersOf(token: string): string {
  return /^\*(?:\s|$)/.test(token) ? "*" : /^[a-z_-]*/.exec(token.toLowerCase())![0];
}
