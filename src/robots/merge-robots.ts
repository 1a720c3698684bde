/** Adds groups and Content-Signal to a site's own robots.txt, whose lines stay as they are. */

import { UserError } from "../text/errors.ts";
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import type { Robots, RobotsCrawler } from "./crawler-rules.ts";
import { linesWithGroups, maxRobotsBytes, parseRobots, type RobotsFile } from "./robots-file.ts";

/** The signals of contentsignals.org. */
export const signals = ["search", "ai-input", "ai-train"] as const;

/** Reads `search=yes,ai-train=no`; returns the line for robots.txt. Throws UserError for another signal or value. */
export function toSignalLine(text: string): string {
  const given = new Map<string, string>();
  for (const part of text.split(",")) {
    const [name = "", value = "", ...others] = part.split("=").map((word) => word.trim().toLowerCase());
    if (!signals.some((signal) => signal === name))
      throw new UserError(
        `${JSON.stringify(name)} is not a content signal.${didYouMean(nearestWord(name, signals))} Signals are ${signals.join(", ")}.`,
      );
    if (!/^(?:yes|no)$/.test(value) || others.length > 0)
      throw new UserError(`The signal ${name} must be yes or no, such as ${name}=no.`);
    if (given.has(name)) throw new UserError(`The signal ${name} is given twice.`);
    given.set(name, value);
  }
  return `Content-Signal: ${[...given].map(([name, value]) => `${name}=${value}`).join(", ")}`;
}

/** Whether the file has a group of its own for a crawler. */
export function hasOwnGroup({ rulesFor }: Robots, { robotsRules, ...crawler }: RobotsCrawler): boolean {
  const { tokens } = robotsRules ?? {};
  return rulesFor({ ...crawler, robotsRules: { star: false, url: "", ...(tokens && { tokens }) } }).token !== undefined;
}

/** The line of the Content-Signal that the groups of `*` of a file have; undefined without one. */
export function findSignalLine(file: RobotsFile): number | undefined {
  const found = linesWithGroups(file).find(
    ([{ key }, group]) => key === "content-signal" && group?.agents.some(({ token }) => token === "*"),
  );
  return found?.[0].number;
}

/** Appends groups to the site's own file. Throws UserError if the file, or the result, is larger than the 500 KiB that crawlers read. */
export function addToRobots(own: string, added: string): string {
  const file = parseRobots(own);
  const last = file.lines.findLast(({ key }) => /^(?:user-agent|allow|disallow)$/.test(key ?? ""));
  // The agents of a last group without rules would join the added group.
  const end = last?.key === "user-agent" ? "Disallow:\n" : "";
  const text = `${own === "" || /[\r\n]$/.test(own) ? own : `${own}\n`}${end}${own === "" ? "" : "\n"}${added}`;
  if (new TextEncoder().encode(text).length > maxRobotsBytes)
    throw new UserError("the file and the added groups are larger than 500 KiB; crawlers do not read the rest");
  return text;
}
