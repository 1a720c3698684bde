/** The robots.txt that a service serves: the site's own file, read again when it changes, with a group of the disallowed crawlers. */
import { watchFiles } from "../catalogue/watch-files.ts";
import { robotsTokens } from "../detect/policy/robots-tokens.ts";
import { type Choosable, parseSelection, splitWords } from "../detect/policy/selection.ts";
import type { Detector } from "../detect/verdict.ts";
import { itemsInPrecedence } from "../export/expressions.ts";
import { writeRobotsTxt } from "../export/targets/robots-txt.ts";
import { readFewBytes } from "../files/read-few-bytes.ts";
import { findManyPatterns } from "../robots/crawler-rules.ts";
import { findJoinedGroups } from "../robots/lint-robots.ts";
import { mostRobotsBytes, parseRobots } from "../robots/robots-file.ts";
import { readOwnRobots } from "../robots/robots-text.ts";
import { toReadProblem, UserError } from "../text/errors.ts";
import { toPlain } from "../text/plain-text.ts";
import type { Log } from "./observe/log.ts";
import type { Configuration } from "./settings/configuration.ts";

/** The settings of robots.txt. */
export type RobotsSettings = Pick<Configuration, "robotsDisallow" | "robotsAllow" | "robotsFile">;

/** The text to serve, and why it is not all that the settings ask for. */
export interface RobotsTxt {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * Writes the text; undefined if no setting asks for one. A word that selects no crawler of this catalogue is a warning, because a running
 * service may get another catalogue. Throws a UserError if nothing can be written.
 */
export function composeRobotsTxt(
  { catalogue, version }: Detector,
  { robotsDisallow, robotsAllow, robotsFile }: RobotsSettings,
  own: string | undefined,
): RobotsTxt | undefined {
  if (robotsDisallow === undefined) {
    if (robotsAllow !== undefined)
      throw new UserError("robots-allow makes exceptions from robots-disallow, which is not set.");
    return robotsFile === undefined ? undefined : { text: own ?? "", warnings: [] };
  }
  const items = itemsInPrecedence(catalogue);
  const selectable = [...items, ...robotsTokens];
  const warnings: string[] = [];
  const read = (setting: string, words: string) => {
    const selections = splitWords(words).map((word) => {
      try {
        return parseSelection(word.replaceAll(",", "\\,"), selectable);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        warnings.push(`${setting}: ${error.message}`);
        return () => false;
      }
    });
    return (crawler: Choosable) => selections.some((isSelected) => isSelected(crawler));
  };
  const isDisallowed = read("robots-disallow", robotsDisallow);
  const isAllowed = robotsAllow === undefined ? () => false : read("robots-allow", robotsAllow);
  const selection = (crawler: Choosable) => isDisallowed(crawler) && !isAllowed(crawler);
  if (!selectable.some(selection)) {
    if (warnings.length === 0)
      throw new UserError(
        "robots-allow names every crawler that robots-disallow names, so that none would be disallowed.",
      );
    return { text: own ?? "", warnings };
  }
  const command = `whocrawls serve, robots-disallow: ${robotsDisallow}${robotsAllow === undefined ? "" : `, robots-allow: ${robotsAllow}`}`;
  return { text: writeRobotsTxt({ items, selection, command, version }, { own }), warnings };
}

/** The site's own file. */
export interface OwnRobots {
  /** The last good text; undefined if no file is set. */
  readonly text: string | undefined;
  /** Why the file is not in use as it is now. */
  readonly warnings: readonly string[];
  /** Begins to look for changes. */
  start(): void;
  stop(): void;
}

/**
 * Reads the site's own file, and keeps its last good text when it breaks later. `changed` is called after each change. Throws a
 * UserError if the file cannot be used, or the words select no crawler.
 */
export async function openOwnRobots(
  detector: Detector,
  configuration: RobotsSettings,
  { message: log }: Pick<Log, "message">,
  changed: () => void,
): Promise<OwnRobots> {
  const { robotsFile: path } = configuration;
  let warnings: readonly string[] = [];
  let text: string | undefined;
  // Before it is read: a change while it is read is noticed afterwards.
  const watch = watchFiles(path === undefined ? [] : [path], () => void readAgain());
  if (path !== undefined) {
    text = await readOwn(path);
    warnings = warningsOf(path, text);
  }
  const [warning] = composeRobotsTxt(detector, configuration, text)?.warnings ?? [];
  if (warning !== undefined) throw new UserError(warning);
  async function readAgain(): Promise<void> {
    try {
      text = await readOwn(path!);
      warnings = warningsOf(path!, text);
      log("info", `${path} has changed; its new text is served`);
    } catch (error) {
      warnings = [`The last good robots.txt stays in use: ${(error as Error).message}`];
      log("error", warnings[0]!);
    }
    changed();
  }
  return {
    get text() {
      return text;
    },
    get warnings() {
      return warnings;
    },
    start() {
      watch.start();
    },
    stop: () => watch.stop(),
  };
}

/** Groups that join by accident, which may keep all crawlers out. */
function warningsOf(path: string, text: string): readonly string[] {
  return findJoinedGroups(parseRobots(text)).map((warning) => `robots-file ${path}:${warning.line}: ${warning.text}`);
}

async function readOwn(path: string): Promise<string> {
  try {
    const bytes = await readFewBytes(path, mostRobotsBytes);
    if (bytes === undefined) throw new UserError("the file is larger than 500 KiB; crawlers do not read the rest");
    const text = readOwnRobots(bytes);
    const excess = findManyPatterns(parseRobots(text));
    if (excess !== undefined) throw new UserError(`line ${excess.line}: ${excess.reason}`);
    return text;
  } catch (error) {
    throw new UserError(`robots-file ${toPlain(path)}: ${toReadProblem(error)}`);
  }
}
