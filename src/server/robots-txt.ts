/** The robots.txt that a service serves: the site's own file, read again when it changes, with a group of the disallowed crawlers. */
import { FileWatch } from "../catalogue/watch-files.ts";
import { robotsTokens } from "../detect/policy/robots-tokens.ts";
import { parseSelection, type SelectableCrawler, splitWords } from "../detect/policy/selection.ts";
import { keepUsable } from "../detect/policy/words.ts";
import type { Detector } from "../detect/verdict.ts";
import { itemsInPrecedence } from "../export/expressions.ts";
import { writeRobotsTxt } from "../export/targets/robots-txt.ts";
import { readUpTo } from "../files/read-up-to.ts";
import { findManyPatterns } from "../robots/crawler-rules.ts";
import { findMisreadLines } from "../robots/lint-robots.ts";
import { maxRobotsBytes, parseRobots } from "../robots/robots-file.ts";
import { readOwnRobots } from "../robots/robots-text.ts";
import { toReadProblem, UserError } from "../text/errors.ts";
import { toPlain } from "../text/plain-text.ts";
import type { Log } from "./observe/log.ts";
import type { Configuration } from "./settings/configuration.ts";

/** The settings of robots.txt. */
export type RobotsSettings = Pick<Configuration, "robotsDisallow" | "robotsAllow" | "robotsFile">;

/** The text to serve, and warnings about what it lacks compared with the settings. */
export class ServedRobots {
  readonly #settings: RobotsSettings;
  readonly #log: Log["message"];
  readonly #onText: (text: string) => void;
  readonly #watch: FileWatch;
  #detector: Detector;
  /** The last good text of the site's own file; undefined if no file is set. */
  #own: string | undefined;
  #text = "";
  #fileWarnings: readonly string[] = [];
  #textWarnings: readonly string[] = [];

  private constructor(
    detector: Detector,
    settings: RobotsSettings,
    { message }: Pick<Log, "message">,
    onText: (text: string) => void,
  ) {
    const { robotsFile } = settings;
    this.#detector = detector;
    this.#settings = settings;
    this.#log = message;
    this.#onText = onText;
    // Started before the file is read, so that a change during reading is noticed afterwards.
    this.#watch = new FileWatch(robotsFile === undefined ? [] : [robotsFile], () => void this.reload());
  }

  /**
   * Opens what the settings ask for; undefined if they ask for nothing. `onText` gets later texts. Throws a UserError if the file cannot
   * be used, or the words select no crawler.
   */
  static async open(
    detector: Detector,
    settings: RobotsSettings,
    log: Pick<Log, "message">,
    onText: (text: string) => void,
  ): Promise<ServedRobots | undefined> {
    const { robotsFile, robotsDisallow, robotsAllow } = settings;
    if ((robotsFile ?? robotsDisallow ?? robotsAllow) === undefined) return undefined;
    const robots = new ServedRobots(detector, settings, log, onText);
    await robots.#readFile();
    robots.#compose();
    const [warning] = robots.#textWarnings;
    if (warning !== undefined) throw new UserError(warning);
    return robots;
  }

  get text(): string {
    return this.#text;
  }

  get warnings(): readonly string[] {
    return [...this.#fileWarnings, ...this.#textWarnings];
  }

  /** Selects crawlers of another catalogue from now on. */
  use(detector: Detector): void {
    this.#detector = detector;
    this.#composeAgain();
  }

  /** Reads the file again. Its last good text stays in use if it cannot be used. Never rejects. */
  async reload(): Promise<void> {
    const { robotsFile } = this.#settings;
    if (robotsFile === undefined) return;
    try {
      await this.#readFile();
      this.#log("info", `${robotsFile} was reloaded and is now served`);
    } catch (error) {
      this.#fileWarnings = [`The last good robots.txt stays in use: ${(error as Error).message}`];
      this.#log("error", this.#fileWarnings[0]!);
      return;
    }
    this.#composeAgain();
  }

  /** Reads the file again when it changes from now on. */
  start(): void {
    this.#watch.start();
  }

  stop(): void {
    this.#watch.stop();
  }

  async #readFile(): Promise<void> {
    const { robotsFile: path } = this.#settings;
    if (path === undefined) return;
    this.#own = await readOwn(path);
    // Such groups may block all crawlers.
    this.#fileWarnings = findMisreadLines(parseRobots(this.#own)).map(
      (warning) => `robots-file ${path}:${warning.line}: ${warning.text}`,
    );
  }

  /** If no text can be composed, the last one stays in use: crawlers must not mistake a failure for permission. */
  #composeAgain(): void {
    try {
      this.#compose();
      this.#onText(this.#text);
    } catch (error) {
      this.#textWarnings = [`The last good robots.txt stays in use: ${(error as Error).message}`];
      this.#log("error", this.#textWarnings[0]!);
    }
  }

  /**
   * Writes the text. A word that selects no crawler of this catalogue is a warning, because a running service may get another
   * catalogue. Throws a UserError if no text can be written.
   */
  #compose(): void {
    const { robotsDisallow, robotsAllow } = this.#settings;
    if (robotsDisallow === undefined) {
      if (robotsAllow !== undefined)
        throw new UserError("robots-allow makes exceptions to robots-disallow, which is not set.");
      this.#text = this.#own ?? "";
      return;
    }
    const items = itemsInPrecedence(this.#detector.catalogue);
    const selectable = [...items, ...robotsTokens];
    const warnings: string[] = [];
    const isDisallowed = readWords("robots-disallow", robotsDisallow, selectable, warnings);
    const isAllowed =
      robotsAllow === undefined ? () => false : readWords("robots-allow", robotsAllow, selectable, warnings);
    const selection = (crawler: SelectableCrawler) => isDisallowed(crawler) && !isAllowed(crawler);
    if (selectable.some(selection)) {
      const exceptions = robotsAllow === undefined ? "" : `, robots-allow: ${robotsAllow}`;
      const command = `whocrawls serve, robots-disallow: ${robotsDisallow}${exceptions}`;
      const { version } = this.#detector;
      this.#text = writeRobotsTxt({ items, selection, command, version }, { own: this.#own });
    } else if (warnings.length > 0) this.#text = this.#own ?? "";
    else
      throw new UserError("robots-allow names every crawler that robots-disallow names, so none would be disallowed.");
    this.#textWarnings = warnings;
  }
}

/** The crawlers that words select; a word without any is added to `warnings`. */
function readWords(
  setting: string,
  words: string,
  selectable: readonly SelectableCrawler[],
  warnings: string[],
): (crawler: SelectableCrawler) => boolean {
  const usable = keepUsable(
    setting,
    splitWords(words).map((word) => word.replaceAll(",", "\\,")),
    (word) => parseSelection(word, selectable),
    (_option, { message }) => warnings.push(`${setting}: ${message}`),
  );
  return parseSelection(usable, selectable);
}

async function readOwn(path: string): Promise<string> {
  try {
    const bytes = await readUpTo(path, maxRobotsBytes);
    if (bytes === undefined) throw new UserError("the file is larger than 500 KiB; crawlers do not read the rest");
    const text = readOwnRobots(bytes);
    const excess = findManyPatterns(parseRobots(text));
    if (excess !== undefined) throw new UserError(`line ${excess.line}: ${excess.reason}`);
    return text;
  } catch (error) {
    throw new UserError(`robots-file ${toPlain(path)}: ${toReadProblem(error)}`);
  }
}
