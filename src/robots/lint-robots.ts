/**
 * Finds what is probably a mistake in a robots.txt: lines that do nothing, and tokens and rules that mean something else than they seem to.
 */
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import type { Robots } from "./crawler-rules.ts";
import { misreadPaths } from "./lint-paths.ts";
import { misreadSignals, missingSignals } from "./lint-signals.ts";
import { retiredTokens, unknownTokens } from "./lint-tokens.ts";
import {
  type InParts,
  linesWithGroups,
  type RobotsFile,
  type RobotsLine,
  type RobotsRule,
  toDelay,
} from "./robots-file.ts";
import { adviseLines, type RobotsWarning, show, toLines, unquote } from "./robots-warning.ts";

/** Further warnings of the same kind add no information. */
const maxOfKind = 50;

/** Lines that some crawlers document. */
const knownKeys = [
  "user-agent",
  "allow",
  "disallow",
  "sitemap",
  "crawl-delay",
  "host",
  "clean-param",
  "content-signal",
  "content-usage",
  "license",
];

/** The kinds of warnings, by what they are about; docs/robots.md has a row for each. */
export const robotsChecks: Readonly<
  Record<string, (robots: Robots, known: readonly string[]) => Iterable<RobotsWarning>>
> = {
  "lines that crawlers ignore": ({ file }) => unknownLines(file),
  "lines that contain another line": ({ file }) => joinedLines(file),
  "characters that look like spaces": ({ file }) => strangeBlanks(file),
  "rules before any group": ({ file }) => ungroupedLines(file),
  "paths that mean something else, or nothing": ({ file }) => misreadPaths(file),
  "tokens that no crawler has": ({ file }, known) => unknownTokens(file, known),
  "tokens that are not used any more": retiredTokens,
  "groups that are joined by accident": ({ file }) => joinedGroups(file),
  "groups without rules": freeGroups,
  "groups that do not repeat the rules of `*`": forgottenRules,
  "values and place of Content-Signal": ({ file }) => misreadSignals(file),
  "groups that do not repeat the signals of `*`": ({ file }) => missingSignals(file),
  "delays without effect": ({ file }) => crawlDelays(file),
  "rules without effect": overruledRules,
  "sitemaps without a full URL": ({ file }) => sitemaps(file),
};

/** Returns the warnings in the order of the lines, in steps; `known` has the tokens of all crawlers. */
export function* lintRobots(robots: Robots, known: readonly string[]): InParts<readonly RobotsWarning[]> {
  const { file } = robots;
  const warnings: RobotsWarning[] = [];
  for (const find of Object.values(robotsChecks)) {
    let found = 0;
    for (const warning of find(robots, known)) {
      if (found++ === maxOfKind) {
        warnings.push({ line: warning.line!, text: "more lines like this are not listed" });
        break;
      }
      warnings.push(warning);
      yield;
    }
    yield;
  }
  if (file.cutAt !== undefined)
    warnings.push({ line: file.cutAt, text: "the file is larger than 500 KiB; crawlers do not read the rest" });
  return warnings.sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

function* unknownLines({ lines }: RobotsFile): Generator<RobotsWarning> {
  for (const { number: line, key, text, google } of lines) {
    const who = google
      ? `Google's crawlers read it as ${show(`${google.key}: ${google.value}`)}, others ignore it`
      : "crawlers ignore it";
    if (key === undefined) yield { line, text: `${show(text)} has no colon; ${who}` };
    else if (!knownKeys.includes(key))
      yield { line, text: `${show(key)} is not a known rule; ${who}.${didYouMean(nearestWord(key, knownKeys))}` };
  }
}

/** Lines that contain the key of another one. */
function* joinedLines({ lines }: RobotsFile): Generator<RobotsWarning> {
  for (const { number: line, key = "", text } of lines) {
    const parts = toLines(text);
    if (parts.length === 1 || !knownKeys.includes(key)) continue;
    const advice = adviseLines(text, parts);
    yield { line, text: `the line ${show(text)} contains another one; write each in a line of its own${advice}` };
  }
}

/** Lines with a part that begins or ends with white space other than spaces and tabs. */
function* strangeBlanks({ lines }: RobotsFile): Generator<RobotsWarning> {
  for (const { number: line, key = "", value, text } of lines) {
    const part = [key, value, text].find((part) => part !== part.trim());
    if (part === undefined) continue;
    const strange = /\s/.test(part[0]!) ? part[0]! : part.at(-1)!;
    const code = `U+${strange.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    yield { line, text: `${show(text)} contains the character ${code}, which crawlers do not strip as white space` };
  }
}

function* ungroupedLines({ ungrouped }: RobotsFile): Generator<RobotsWarning> {
  for (const { number: line, text } of ungrouped)
    yield { line, text: `${show(text)} comes before any User-agent line; crawlers ignore it` };
}

/** What most likely means something else than it seems to: groups that are joined, and values of `Crawl-delay`. */
export function findMisreadLines(file: RobotsFile): readonly RobotsWarning[] {
  return [joinedGroups(file), crawlDelays(file)].flatMap((found) => [...found].slice(0, maxOfKind));
}

/** Values that are not a number, and those that a later line replaces. */
function* crawlDelays({ lines, groups }: RobotsFile): Generator<RobotsWarning> {
  for (const { number: line, key, value } of lines)
    if (key === "crawl-delay" && toDelay(value) === undefined)
      yield {
        line,
        text: `the Crawl-delay ${show(value)} is not a number of seconds, such as 10 or 1.5; crawlers ignore it`,
      };
  for (const delays of new Set(groups.flatMap(({ agents }) => agents.map(({ crawlDelays }) => crawlDelays))))
    for (const [at, { line }] of delays.slice(0, -1).entries())
      yield { line, text: `the Crawl-delay in line ${delays[at + 1]!.line} replaces this one` };
}

/** Agents that join the agents above, although an empty line, `Crawl-delay` or a removed rule looks like the end of their group. */
function* joinedGroups({ groups, googleGroups }: RobotsFile): Generator<RobotsWarning> {
  for (const { agents, rules } of groups) {
    const [first] = agents;
    if (rules.length === 0) continue;
    for (const { token, line, isSeparated } of agents) {
      if (!isSeparated) continue;
      const isApartForGoogle = googleGroups?.some((group) => group.agents[0]!.line === line);
      yield {
        line,
        text: `${show(token)} joins the group of ${show(first!.token)} in line ${first!.line}, because no rule is between them${
          isApartForGoogle ? " (Google's crawlers read one)" : ""
        }; the rules below apply to both. To separate the groups, add "Disallow:" above this line`,
      };
    }
  }
}

/** The most groups, and rules of `*`, that are compared. */
const maxCompared = 1_000;

/** Groups with rules of their own, which repeat only some of the rules of `*`, or none. */
function* forgottenRules({ file, rulesFor }: Robots): Generator<RobotsWarning> {
  const general = rulesFor({})
    .rules.filter(({ isAllowed }) => !isAllowed)
    .slice(0, maxCompared);
  for (const { agents, rules } of file.groups.slice(0, maxCompared)) {
    const agent = agents.find(({ token }) => token !== "*");
    if (agent === undefined || agents.some(({ token }) => token === "*")) continue;
    if (!rules.some(({ isAllowed }) => !isAllowed)) continue;
    const { rules: own, decideNormalized } = rulesFor({ name: agent.token });
    const repeated = new Set(own.map(({ path }) => path));
    const isCovered = (path: string): boolean => {
      const { rule } = decideNormalized(path.startsWith("*") ? `/${path}` : path);
      return rule?.isAllowed === false && !/[*$]/.test(toCore(rule));
    };
    const missing = general.filter(({ path }) => !repeated.has(path) && !isCovered(path));
    const [first, ...others] = missing;
    if (first === undefined) continue;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    yield {
      line: agent.line,
      text: `${show(agent.token)} does not obey the rules of *, such as line ${first.line}: Disallow ${show(first.text)}${more}; repeat them in this group if they should apply`,
    };
  }
}

/** Groups without a line of a rule, which free their crawlers from the rules of `*`. */
function* freeGroups({ file, rulesFor }: Robots, known: readonly string[]): Generator<RobotsWarning> {
  const general = rulesFor({}).rules.find(({ isAllowed }) => !isAllowed);
  if (general === undefined) return;
  const isRule = ({ key }: RobotsLine): boolean => key === "allow" || key === "disallow";
  const ruledGroups = new Set(linesWithGroups(file).flatMap(([line, group]) => (isRule(line) && group ? [group] : [])));
  const ruled = new Set([...ruledGroups].flatMap(({ agents }) => agents.map(({ token }) => token.toLowerCase())));
  const crawlers = new Set(known.map((token) => token.toLowerCase()));
  for (const { token, line } of file.groups.flatMap(({ agents }) => agents)) {
    if (!crawlers.has(token.toLowerCase()) || ruled.has(token.toLowerCase())) continue;
    yield {
      line,
      text: `the group of ${show(token)} has no rules, so the rules of *, such as line ${general.line}: Disallow ${show(general.text)}, do not apply to it; repeat them here, or add "Disallow:" to allow everything`,
    };
  }
}

/** The path of a rule without the stars at its end, with which it matches the same paths. */
function toCore({ path }: RobotsRule): string {
  let end = path.length;
  while (path[end - 1] === "*") end--;
  return path.slice(0, end);
}

/** Rules that an `Allow` of the same paths for the same crawler overrules: the longer one wins, of equally long ones Allow. */
function* overruledRules({ file, rulesFor }: Robots): Generator<RobotsWarning> {
  const tokens = new Map(
    file.groups.flatMap(({ agents }) => agents.map(({ token }) => [token.toLowerCase(), token] as const)),
  );
  const seen = new Set<unknown>();
  for (const token of [...tokens.values()].slice(0, maxCompared)) {
    const { rules } = rulesFor({ name: token });
    // Crawlers that obey the same groups share their rules.
    if (seen.has(rules)) continue;
    seen.add(rules);
    const allowing = new Map(
      rules
        .filter(({ isAllowed }) => isAllowed)
        .sort((one, other) => one.path.length - other.path.length)
        .map((rule) => [toCore(rule), rule]),
    );
    for (const rule of rules) {
      const { isAllowed, path, line, text } = rule;
      const other = isAllowed ? undefined : allowing.get(toCore(rule));
      if (other === undefined || other.path.length < path.length || seen.has(line)) continue;
      seen.add(line);
      yield {
        line,
        text: `${show(`Disallow: ${text}`)} has no effect, because line ${other.line} allows the same paths for ${show(token)}; remove one of the two lines`,
      };
    }
  }
}

function* sitemaps({ sitemaps }: RobotsFile): Generator<RobotsWarning> {
  for (const { url, line } of sitemaps) {
    const urls = url.match(/https?:\/\/[^\s,;]+/gi) ?? [];
    if (urls.length > 1) {
      const lines = urls.map((one) => `Sitemap: ${one}`);
      yield {
        line,
        text: `${show(url)} is read as one URL; write each in a line of its own${adviseLines(url, lines)}`,
      };
    } else if (unquote(url) !== url)
      yield { line, text: `the Sitemap ${show(url)} is not a URL; remove the quotation marks` };
    else if (!/^https?:\/\/[^/]/i.test(url))
      yield {
        line,
        text: `the Sitemap ${show(url)} must be an absolute URL, such as https://example.com/sitemap.xml`,
      };
  }
}
