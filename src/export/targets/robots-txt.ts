/** robots.txt: asks crawlers to stay away, using the tokens that their operators document, in a separate file or in the site's own. */

import { createRobots } from "../../robots/crawler-rules.ts";
import { addToRobots, findSignalLine, hasOwnGroup, toSignalLine } from "../../robots/merge-robots.ts";
import { type NamedCrawler, toNamedCrawlers } from "../../robots/robots-crawlers.ts";
import { parseRobots } from "../../robots/robots-file.ts";
import { UserError } from "../../text/errors.ts";
import { groupBy } from "../../text/group-by.ts";
import { toPlain } from "../../text/plain-text.ts";
import { comment, type ExportRequest, heading, type Target } from "../target.ts";

export const robotsTxt: Target = {
  what: "a group of the crawlers' documented tokens, with Disallow: /",
  isList: true,
  write: (request) => writeRobotsTxt(request),
};

type RobotsTxtRequest = Pick<ExportRequest, "items" | "selection" | "command" | "version">;

export interface RobotsTxtOptions {
  /** The site's own file, whose lines stay; a crawler with a group there is not named again. */
  readonly own?: string | undefined;
  /** `search=yes,ai-train=no`; not added if the user's file has a Content-Signal for `*`. */
  readonly signals?: string | undefined;
}

/**
 * Writes the group of the selected crawlers; with signals and without a selection no group. Throws UserError if the selected crawlers
 * have no token, and UserError for signals or a file of the user that cannot be used.
 */
export function writeRobotsTxt(request: RobotsTxtRequest, { own, signals }: RobotsTxtOptions = {}): string {
  const named = request.selection === undefined && signals !== undefined ? [] : selectTokens(request);
  const signalLine = signals === undefined ? undefined : toSignalLine(signals);
  const file = parseRobots(own ?? "");
  const robots = createRobots(file);
  const tokens = named.filter((token) => !hasOwnGroup(robots, token));
  const place = own === undefined ? ["Place: robots.txt at the root of your site, beside your other groups."] : [];
  const parts = [heading(request, [...place, "Crawlers may ignore it; the other exports block them."])];
  if (tokens.length > 0) parts.push(`${toGroup(tokens)}\nDisallow: /\n`);
  else if (named.length > 0) parts.push("# Each of these crawlers has a group of its own above.\n");
  const ownSignal = findSignalLine(file);
  if (signalLine !== undefined)
    parts.push(
      ownSignal === undefined
        ? `# https://contentsignals.org: a request, which crawlers may ignore.\nUser-agent: *\n${signalLine}\nDisallow:\n`
        : `# The Content-Signal for * in line ${ownSignal} is kept.\n`,
    );
  return addToRobots(own ?? "", parts.join("\n"));
}

function selectTokens({ items, selection = () => true }: RobotsTxtRequest): NamedCrawler[] {
  const crawlers = toNamedCrawlers(items).filter(selection);
  if (crawlers.length === 0) throw new UserError("these crawlers have no robots.txt token");
  return [...new Map(crawlers.map((crawler) => [crawler.robots.toLowerCase(), crawler])).values()];
}

function toGroup(tokens: readonly NamedCrawler[]): string {
  return [...groupBy(tokens, ({ operator = "" }) => operator)]
    .toSorted(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : a < b ? -1 : 1))
    .flatMap(([operator, ofOperator]) => [
      comment(operator || "Operator unknown"),
      ...ofOperator.map(({ robots }) => `User-agent: ${toPlain(robots)}`).sort(),
    ])
    .join("\n");
}
