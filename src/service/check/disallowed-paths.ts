/** The rules of the site's robots.txt for /auth, parsed when the text changes. robots/ decides with them. */
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import type { IsDisallowed } from "../../detect/policy/policy.ts";
import { inTurns } from "../../http/event-loop-turns.ts";
import { createRobots, openRobots, type Robots, type RobotsCrawler } from "../../robots/crawler-rules.ts";
import { createIsDisallowed, indexByName } from "../../robots/disallowed.ts";
import { parseRobots } from "../../robots/robots-file.ts";

/** Returns the rules, which are ready for the given crawlers. */
export type ReadRules = (crawlers: readonly RobotsCrawler[]) => Robots;

/**
 * Makes the function that returns the rules of the text that `read` returns. A new text is read in turns of the event loop, until the
 * end of which the old rules apply.
 */
export function createRobotsReader(read: () => string): ReadRules {
  let text = read();
  let robots = createRobots(parseRobots(text));
  async function readAgain(changed: string, crawlers: readonly RobotsCrawler[]): Promise<void> {
    const fresh = await inTurns(openRobots(changed, crawlers));
    if (text === changed) robots = fresh;
  }
  return (crawlers) => {
    const now = read();
    if (now !== text) {
      text = now;
      void readAgain(now, crawlers);
    }
    return robots;
  };
}

/** Makes what the word `disallowed` asks, for the crawlers of a catalogue. */
export function createDisallowedPaths(readRules: ReadRules, { items }: Pick<CompiledCatalogue, "items">): IsDisallowed {
  const crawlers = indexByName(items);
  let robots = readRules(items);
  let isDisallowed = createIsDisallowed(robots, crawlers);
  return (path, verdict) => {
    const now = readRules(items);
    if (now !== robots) {
      robots = now;
      isDisallowed = createIsDisallowed(now, crawlers);
    }
    return isDisallowed(path, verdict);
  };
}
